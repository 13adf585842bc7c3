import { expect, it } from "vitest";
import { faults } from "./faults";

const fault = (field: string, type: string, ctx = {}, message = "must be something else") => ({
  field,
  type,
  ctx,
  message,
});

it.each([
  [fault("name", "missing"), "name: 필수 항목입니다"],
  [fault("budget", "greater_than", { gt: 0 }), "budget: 0보다 커야 합니다"],
  [fault("name", "string_too_long", { max_length: 80 }), "name: 80자 이하여야 합니다"],
  [
    fault("mode", "literal_error", { expected: "'a', 'b' or 'c'" }),
    "mode: 'a', 'b', 'c' 가운데 하나여야 합니다",
  ],
  [
    fault("cost.c_odd", "extra_forbidden", { nearest: "c_ood" }),
    "cost.c_odd: 없는 이름입니다. 가장 비슷한 이름: c_ood",
  ],
  [fault("settings.strategy.params.l2", "less_than_equal", { le: 1 }), "l2: 1 이하여야 합니다"],
  // What pydantic may call so one day.
  [fault("name", "something_new"), "name: 올바른 값이 아닙니다"],
  [
    fault("email", "value_error", {}, "write an address such as name@example.org"),
    "email: name@example.org 같은 주소를 쓰세요",
  ],
  [
    fault("params", "value_error", {}, "give ratio or count, and leave the other empty"),
    "ratio와 count 가운데 하나만 쓰고 다른 하나는 비워 두세요",
  ],
])("says %o by what it is", (one, told) => {
  expect(faults([one])).toBe(told);
});

it("says all that is wrong", () => {
  expect(faults([fault("a", "missing"), fault("b", "bool_type")])).toBe(
    "a: 필수 항목입니다; b: 참이나 거짓이어야 합니다",
  );
});
