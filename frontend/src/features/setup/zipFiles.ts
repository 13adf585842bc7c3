const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** The end of a zip is 22 bytes and a comment of up to 65,535. */
const LONGEST_END = 22 + 0xffff;
/** Names of some hundred thousand files. */
const MOST_BYTES = 32 << 20;
/** Of a file in it so much is unpacked, at most, to look at how it begins and ends. */
const MOST_UNPACKED = 64 << 20;
const SHOWN = 256 << 10;
const ENCRYPTED = 0x1;
const UTF_8 = 0x800;
const STORED = 0;
const DEFLATED = 8;

/** A file in a zip; `peek` is how it begins and ends, null where that cannot be looked at. */
export type ZipFile = { path: string; peek: () => Promise<string | null> };

/**
 * The files in a zip, from its central directory; null of what is none, or is so large that its end
 * says so elsewhere (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
 */
export async function zipFiles(file: Blob): Promise<ZipFile[] | null> {
  const tailAt = Math.max(0, file.size - LONGEST_END);
  const tail = new DataView(await file.slice(tailAt).arrayBuffer());
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const size = tail.getUint32(at + 12, true);
    const start = tail.getUint32(at + 16, true);
    if (size > MOST_BYTES || start + size > file.size) return null;
    return filesIn(file, new DataView(await file.slice(start, start + size).arrayBuffer()));
  }
  return null;
}

function filesIn(file: Blob, directory: DataView): ZipFile[] {
  const found: ZipFile[] = [];
  let at = 0;
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === ENTRY) {
    const flags = directory.getUint16(at + 8, true);
    const method = directory.getUint16(at + 10, true);
    const packed = directory.getUint32(at + 20, true);
    const length = directory.getUint16(at + 28, true);
    const more = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    const start = directory.getUint32(at + 42, true);
    if (at + 46 + length > directory.byteLength) break;
    const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at + 46, length);
    const path = new TextDecoder(flags & UTF_8 ? "utf-8" : "latin1").decode(bytes);
    const peek = async () => (flags & ENCRYPTED ? null : shown(file, start, packed, method));
    if (!path.endsWith("/")) found.push({ path, peek });
    at += 46 + length + more;
  }
  return found;
}

async function shown(
  file: Blob,
  start: number,
  packed: number,
  method: number,
): Promise<string | null> {
  const head = new DataView(await file.slice(start, start + 30).arrayBuffer());
  if (head.byteLength < 30 || head.getUint32(0, true) !== LOCAL) return null;
  const from = start + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const content = file.slice(from, Math.min(from + packed, from + MOST_UNPACKED));
  const stream = streamOf(await content.arrayBuffer());
  if (method === STORED) return endsOf(stream);
  return method === DEFLATED
    ? endsOf(stream.pipeThrough(new DecompressionStream("deflate-raw")))
    : null;
}

const streamOf = (content: ArrayBuffer) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new Uint8Array(content));
      controller.close();
    },
  });

/** How a stream of text begins and ends; null of what is broken. */
async function endsOf(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += decoder.decode(next.value, { stream: true });
      size += next.value.byteLength;
      if (text.length > 3 * SHOWN) text = `${text.slice(0, SHOWN)}\n${text.slice(-SHOWN)}`;
      if (size > MOST_UNPACKED) break;
    }
  } catch {
    return null;
  } finally {
    reader.cancel().catch(() => {});
  }
  return text;
}
