import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const plan: Catalogue["setup"]["plan"] = {
  title: (name) => `가져올까요? ${name}`,
  plans: "답을 기다리는 가져오기",
  groups: "이미지가 들어갈 곳",
  sums: (sums, rows) => {
    const parts = [
      sums.pool > 0 && `풀 ${number(sums.pool)}개`,
      sums.evaluation > 0 && `평가용 ${number(sums.evaluation)}개`,
      sums.auxiliary_ood > 0 && `알려진 ‘없음’ ${number(sums.auxiliary_ood)}개`,
      sums.left_out > 0 && `제외 ${number(sums.left_out)}개`,
      sums.refused > 0 && `거부 ${number(sums.refused)}개`,
      rows > 0 && `이미 있는 이미지에 대한 행 ${number(rows)}개`,
    ].filter((part) => part !== false);
    return parts.length > 0 ? parts.join(", ") : "가져올 것이 없습니다";
  },
  all: "모든 이미지",
  others: "그 밖의 모든 이미지",
  more: "그 밖의 폴더 또는 값",
  fixed: {
    pool: "풀",
    evaluation: "평가",
    auxiliary_ood: "알려진 ‘없음’",
    left_out: "제외됨",
    refused: "거부됨",
  },
  images: (count) => `이미지 ${number(count)}개`,
  row: (place) => `${number(place)}번째 행`,
  classes: (labels) => {
    const shown = labels.slice(0, 6).join(", ");
    return labels.length > 6
      ? `클래스: ${shown} 외 ${number(labels.length - 6)}개`
      : `클래스: ${shown}`;
  },
  label: (name, count) => `${name} ${number(count)}개`,
  withoutClass: (count) =>
    `클래스에 맞는 라벨이 없는 이미지 ${number(count)}개는 평가용에서 거부됩니다`,
  becomes: (name) => `${name}의 용도`,
  choices: {
    pool: "풀",
    evaluation: "평가용",
    auxiliary_ood: "알려진 ‘없음’",
    class: "클래스",
    leave_out: "제외",
  },
  makeClasses: (count) => `이 이름 ${number(count)}개를 클래스로 만들기`,
  classesByName: "어느 이름이 클래스인가요?",
  makeSome:
    "일부만 고를 수도 있습니다. 클래스가 없는 이미지는 라벨러가 판정하며, 평가에는 쓸 수 없습니다.",
  listedOnly:
    "0으로 표시된 이름은 보낸 파일의 목록에 있지만 그런 라벨은 없습니다. 빼면 다른 클래스의 번호가 달라집니다.",
  noEvaluation:
    "평가용 이미지가 하나도 들어오지 않아 이것으로 정확도를 잴 수 없습니다. 라벨이 클래스가 아니기 때문입니다. 위에서 클래스를 고르거나 다른 용도를 고르세요.",
  noEvaluationColumn:
    "평가용 이미지가 하나도 들어오지 않아 이것으로 정확도를 잴 수 없습니다. 무엇인지 말해 주는 열이 없기 때문입니다. 아래에서 라벨이 있는 열을 고르거나 다른 용도를 고르세요.",
  noEvaluationLater:
    "평가용 이미지가 하나도 들어오지 않습니다. 라벨이 클래스가 아니기 때문입니다. 나중에로 미루고, 이미지 위에서 클래스를 추가한 뒤 계속하세요.",
  columns: "어느 것이 라벨인가요?",
  folderLabel: "폴더 이름 또는 label 열",
  values: (readable, unreadable, values) => {
    if (readable === 0 && unreadable > 0)
      return `아직 클래스가 아닌 값 ${number(unreadable)}개: ${values.join(", ")}`;
    if (unreadable === 0) return `라벨 ${number(readable)}개: ${values.join(", ")}`;
    return `${values.join(", ")}: 클래스의 라벨 ${number(readable)}개, 아직 클래스가 아닌 값 ${number(unreadable)}개`;
  },
  valuesOfClasses: (count, values) =>
    `라벨 ${number(count)}개 중 클래스인 것만 가져옵니다: ${values.join(", ")}`,
  labelsNothing: (name, isElsewhere) =>
    `${name}: 풀에 들어갈 이미지에는 클래스인 라벨이 없습니다.${isElsewhere ? " 평가 이미지의 라벨은 그대로 쓰입니다." : ""}`,
  document: (name, format) => `${name}에 이미지에 대한 내용이 있습니다 (${format}).`,
  stated: (source, readable, unreadable) =>
    unreadable > 0
      ? `${source}: 라벨 ${number(readable)}개, 읽을 수 없는 라벨 ${number(unreadable)}개`
      : `${source}: 라벨 ${number(readable)}개`,
  bad: (count, reason) => `${number(count)}개: ${reason}`,
  whyBad: "가져올 수 없는 항목과 이유",
  needAnswer: "답을 기다리는 가져오기를 시작하거나 버리기",
  nothing: "이대로는 가져올 것이 없습니다. 용도를 고르거나 버리세요.",
  notSeen: "중복되거나 손상된 이미지는 가져오는 동안 찾습니다.",
  fixesSize: (size) => `가져오면 모델이 보는 크기가 ${size} × ${size}픽셀로 정해집니다.`,
  choosesSize: ({ width, height, side, fit }) =>
    `이미지는 보통 ${number(width)} × ${number(height)} 크기이며, 모델은 ${fit === "pad" ? "전체를 " : ""}${particle(`${side} × ${side}`, "으로", "로")} 보게 됩니다. 클수록 잘 구별하지만 시간이 더 걸립니다.`,
  start: "가져오기",
  later: "나중에",
  discard: "버리기",
  continue: "계속",
  looking: "살펴보는 중",
  waits: "답을 기다리는 중",
  /** What became of one, by the answer it got. */
  answered: {
    started: "답함: 가져오기 시작됨",
    discarded: "답함: 버림",
    expired: "기한 안에 답이 없었음",
  },
};
