type Page<Item> = { items: Item[]; next_cursor: number | null };

/** A list that a page needs whole, such as one to choose from, read page by page. */
export async function everyPage<Item>(
  read: (cursor: number | null) => Promise<Page<Item>>,
): Promise<{ items: Item[] }> {
  const items: Item[] = [];
  let cursor: number | null = null;
  do {
    const page: Page<Item> = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { items };
}
