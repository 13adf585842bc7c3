const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** The end of a zip is 22 bytes and a comment of up to 65,535. */
const LONGEST_END = 22 + 0xffff;
/** Names of some hundred thousand files. */
const MOST_BYTES = 32 << 20;
const UTF_8 = 0x800;

/**
 * The paths of the files in a zip, from its central directory; null of what is none, or is so large
 * that its end says so elsewhere (APPNOTE.TXT 6.3.10, sections 4.3.12 and 4.3.16).
 */
export async function zipNames(file: Blob): Promise<string[] | null> {
  const tailAt = Math.max(0, file.size - LONGEST_END);
  const tail = new DataView(await file.slice(tailAt).arrayBuffer());
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const size = tail.getUint32(at + 12, true);
    const start = tail.getUint32(at + 16, true);
    if (size > MOST_BYTES || start + size > file.size) return null;
    return namesIn(new DataView(await file.slice(start, start + size).arrayBuffer()));
  }
  return null;
}

function namesIn(directory: DataView): string[] {
  const names: string[] = [];
  let at = 0;
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === ENTRY) {
    const length = directory.getUint16(at + 28, true);
    const more = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (at + 46 + length > directory.byteLength) break;
    const isUtf8 = (directory.getUint16(at + 8, true) & UTF_8) !== 0;
    const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at + 46, length);
    const name = new TextDecoder(isUtf8 ? "utf-8" : "latin1").decode(bytes);
    if (!name.endsWith("/")) names.push(name);
    at += 46 + length + more;
  }
  return names;
}
