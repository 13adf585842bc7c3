import { locale } from "../language";

export const fieldFilters = {
  title: "What came along",
  choose: "Field",
  none: "Choose a field",
  value: "Value",
  any: "Any",
  there: "There is one",
  missing: "There is none",
  values: "Values",
  is: "Is exactly",
  from: "From",
  to: "To",
  count: (count: number, exact: boolean) =>
    exact ? count.toLocaleString(locale) : `about ${count.toLocaleString(locale)}`,
  chips: "Fields that are asked for",
  has: (name: string) => `${name} is there`,
  lacks: (name: string) => `no ${name}`,
  remove: (what: string) => `Remove: ${what}`,
  exportThese: "Export these",
};
