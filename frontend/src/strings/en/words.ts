import { locale } from "../language";

export const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString(locale)} ${count === 1 ? one : many}`;
