import { type Fault, parameterAt } from "../faults";
import sentences from "./faults.json";
import { said } from "./said";

const known: Readonly<Record<string, string>> = sentences;
/** Of what we check ourselves the sentence is all that there is. */
const OURS = new Set(["value_error", "assertion_error"]);

/** What is wrong with fields of a request, by what pydantic calls it; each field by its name. */
export const faults = (some: readonly Fault[]): string =>
  some
    .map((one) => [parameterAt(one) ?? one.field, told(one)].filter(Boolean).join(": "))
    .join("; ");

function told({ type, ctx, message }: Fault): string {
  if (OURS.has(type)) return said(message);
  const sentence = (known[type] ?? "올바른 값이 아닙니다").replace(/\{(\w+)\}/g, (_, name) =>
    // The last of the values that one chooses from.
    String(ctx[name] ?? "").replace(/ or (?=[^,]+$)/, ", "),
  );
  if (ctx.nearest !== undefined) return `${sentence}. 가장 비슷한 이름: ${ctx.nearest}`;
  if (ctx.known !== undefined) return `${sentence}. 있는 이름: ${ctx.known}`;
  return sentence;
}
