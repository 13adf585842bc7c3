import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Algorithm } from "../api/types";
import { ParamsForm, wordsOf } from "./ParamsForm";

const algorithm: Algorithm = {
  name: "mqnet",
  kind: "strategy",
  title: "MQ-Net",
  summary: "",
  paper: "",
  needs: [],
  fallback: "",
  media: ["image", "text"],
  tasks: ["classification"],
  group: "recommended",
  of_texts: null,
  defaults: { epochs: 100, learning_rate: 0.01, warm_start: true, stride: null, ratio: 0.5 },
  params_schema: {
    properties: {
      epochs: { type: "integer", minimum: 1, maximum: 10_000, description: "Passes." },
      learning_rate: { type: "number", exclusiveMinimum: 0 },
      warm_start: { type: "boolean" },
      stride: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
      ratio: { anyOf: [{ type: "number", maximum: 1 }, { type: "null" }] },
    },
  },
};

let current: Record<string, unknown>;

function Form() {
  const [params, setParams] = useState<Record<string, unknown>>({});
  current = params;
  return <ParamsForm algorithm={algorithm} params={params} onChange={setParams} />;
}

afterEach(cleanup);

it("makes a field of each parameter, with its default and its help", () => {
  render(<Form />);
  const epochs = screen.getByRole("textbox", { name: "Epochs", description: "Passes." });
  expect(epochs).toHaveProperty("value", "100");
  expect(screen.getByRole("checkbox", { name: "Warm start" })).toHaveProperty("checked", true);
});

it("hands on what is typed, as a value of the right type", async () => {
  render(<Form />);
  const epochs = screen.getByRole("textbox", { name: "Epochs" });
  await userEvent.clear(epochs);
  await userEvent.type(epochs, "250");
  await userEvent.click(screen.getByRole("checkbox", { name: "Warm start" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Stride" }), "3");
  expect(current).toEqual({ epochs: 250, warm_start: false, stride: 3 });
  await userEvent.clear(screen.getByRole("textbox", { name: "Stride" }));
  expect(current.stride).toBeNull();
});

it("leaves empty what was emptied, whatever its default", async () => {
  render(<Form />);
  const ratio = screen.getByRole("textbox", { name: "Ratio" });
  expect(ratio).toHaveProperty("value", "0.5");
  await userEvent.clear(ratio);
  await userEvent.tab();
  expect(current).toEqual({ ratio: null });
  expect(ratio).toHaveProperty("value", "");
  expect(ratio.getAttribute("aria-invalid")).toBeNull();
});

it("holds back what is out of bounds, and says so", async () => {
  render(<Form />);
  const epochs = screen.getByRole("textbox", { name: "Epochs" });
  await userEvent.clear(epochs);
  await userEvent.type(epochs, "0");
  expect(epochs.getAttribute("aria-invalid")).toBe("true");
  expect(current.epochs).toBeUndefined();
  expect(screen.getByText("A whole number from 1 to 10000 is needed.")).toBeDefined();
});

it("takes no bound that the schema excludes, and names the bounds it has", async () => {
  const bounds = { type: "number", exclusiveMinimum: 0, maximum: 1 };
  const share = { ...algorithm, params_schema: { properties: { share: bounds } } } as Algorithm;
  const onChange = vi.fn();
  render(<ParamsForm algorithm={share} params={{}} onChange={onChange} />);
  const field = screen.getByRole("textbox", { name: "Share" });
  await userEvent.type(field, "0");
  expect(screen.getByText("A number above 0, up to 1 is needed.")).toBeDefined();
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.type(field, ".5");
  expect(onChange).toHaveBeenLastCalledWith({ share: 0.5 });
});

it("tells values in words", () => {
  const schema = { enum: ["auto", "float32"], words: { auto: "자동 (auto)" } };
  expect(["auto", "float32"].map((value) => wordsOf(value, schema))).toEqual([
    "자동 (auto)",
    "float32",
  ]);
  expect([null, true, false, 0.01].map((value) => wordsOf(value))).toEqual([
    "empty",
    "on",
    "off",
    "0.01",
  ]);
});
