import { expect, it } from "vitest";
import { weights as english } from "../en/weights";
import refusals from "./refusals.json";
import { said } from "./said";
import notes from "./sentences.json";
import { weights } from "./weights";

it("says a sentence of the server in Korean, with what varies in it", () => {
  expect(said("No model yet, so the batch is random.")).toBe(
    "아직 모델이 없어 이미지를 무작위로 뽑았습니다.",
  );
  expect(said("Trained without 12 labels that the subset drops.")).toBe(
    "부분집합에서 제외된 라벨 12개를 빼고 학습했습니다.",
  );
});

it("says why something else stands in", () => {
  const reason =
    "Purity probe learns from 5 OOD answers or more and has 2; it starts with the next ones.";
  expect(said(`${reason} Purity knn stands in.`)).toBe(
    `${said(reason)} 그때까지 knn 점수로 대신합니다.`,
  );
  expect(said(reason)).toContain("5개 이상");
});

it("says why a label is not taken", () => {
  const unknown = "of 'dog', which is not a class of the project; add it, and import again";
  expect(said(`a label is not taken: it is ${unknown}`)).toBe(
    `라벨을 쓰지 않았습니다: ${said(`is ${unknown}`)}`,
  );
  const why = "label says 'dog', which is not a class of the project; add it, and import again";
  expect(said(`a label is not taken: ${why}`)).toBe(`라벨을 쓰지 않았습니다: ${said(why)}`);
  expect(said(why)).not.toContain("says");
});

it("says of features that both kinds are", () => {
  const losses = "How wrong each is (log loss): both 0.94, minilm 1.02.";
  expect(said(`Told apart by both kinds of features, so far the best. ${losses}`)).toMatch(
    /^두 가지 특징 모두로 .*both 0\.94, minilm 1\.02\.$/,
  );
});

it("says why MQ-Net has learned nothing", () => {
  const reasons = ["No OOD among the last answers", "Fewer than two answers"];
  for (const reason of reasons) {
    expect(said(`${reason}: MQ-Net stays as it was.`)).not.toContain(reason);
  }
});

it("leaves an error of another library, however long", () => {
  const long = `size mismatch ${"for a layer ".repeat(5_000)}stands in.`;
  expect(said(long)).toBe(long);
});

it("knows what was written of images where it is said of texts", () => {
  expect(said("an evaluation text needs a label")).toBe(
    said("an evaluation image needs a label").replace("이미지", "텍스트"),
  );
  expect(said("no text of the project has this sha256")).toContain("sha256");
  expect(said("the row holds no text")).toBe("행에 텍스트가 없습니다");
});

it("says what the server refuses, with the reason that it gives", () => {
  expect(said("The round is closing, not open.")).toBe("라운드가 열려 있지 않습니다.");
  expect(said("This is no location. It has characters that no path has.")).toBe(
    "올바른 위치가 아닙니다. 경로에 쓸 수 없는 문자가 있습니다.",
  );
});

it("leaves what it does not know", () => {
  expect(said("RuntimeError: {0} of (x+)* went wrong")).toBe(
    "RuntimeError: {0} of (x+)* went wrong",
  );
});

it("says of texts what the server says of them, with the words of images", () => {
  expect(said("No unlabeled text is left in the pool.")).toBe(
    said("No unlabeled image is left in the pool.").replace("이미지", "텍스트"),
  );
  expect(said("3 texts have no embeddings yet; they are made once.")).toContain("텍스트 3개");
  expect(said("Nobody said anything of a text.")).toBe("Nobody said anything of a text.");
});

it("reasons of boxes are said with their place, whatever the reason holds", () => {
  expect(said("labels/a.txt: box 2 (line 3) has 32 numbers where 5 should be")).toBe(
    "labels/a.txt: 2번 상자(3번째 줄): 값이 5개여야 하는데 32개입니다",
  );
  expect(said("x.json: box 12 is turned by 30 degrees, and boxes here stand upright")).toBe(
    "x.json: 12번 상자: 30도 기울어져 있습니다. 여기서는 바로 선 상자만 씁니다",
  );
});

it.each([
  ["Certificate 2 is still being worked on; wait for it, or revoke it first.", "보증 2가 "],
  ["Certificate 3 is still being worked on; wait for it, or revoke it first.", "보증 3이 "],
  ["There is no judge 4; see the page of judges.", "판정 모델 4가 "],
  ["The model sees 40 images at 128 × 96 now, instead of 224 × 224.", "128 × 96으로 봅니다"],
  ["Two classes have the hotkey 1.", "단축키가 1로 같습니다"],
  ["Two classes have the hotkey q.", "단축키가 q(으)로 같습니다"],
  ["There is no judge gpt; see the page of judges.", "판정 모델 gpt이(가) "],
])("gives what varies the particle that its sound asks for: %s", (sentence, korean) => {
  expect(said(sentence)).toContain(korean);
});

it("leads to the same place as the English does", () => {
  const led = Object.entries({ ...notes, ...refusals }).filter(([sentence]) =>
    sentence.includes(`(${english.place})`),
  );
  expect(led.length).toBeGreaterThan(1);
  for (const [, korean] of led) expect(korean).toContain(`(${weights.place})`);
});
