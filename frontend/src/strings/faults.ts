/** What is wrong with one field of a request, as the server says it: `type` and `ctx` are pydantic's. */
export type Fault = {
  field: string;
  message: string;
  type: string;
  ctx: Readonly<Record<string, string | number>>;
};

/** Where parameters of an algorithm stand in a request, and perhaps one of them. */
const PARAMETERS = /^(?:settings\.\w+\.)?params(?:\.(\w+))?$/;

/** The parameter that a fault is of: empty if several contradict each other, null if it is of none. */
export const parameterAt = ({ field }: Fault): string | null => {
  const found = PARAMETERS.exec(field);
  return found && (found[1] ?? "");
};
