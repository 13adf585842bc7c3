import type { Catalogue } from "../catalogue";
import { bucket } from "./bucket";
import { draft } from "./draft";
import { groups } from "./groups";
import { inputSize } from "./inputSize";
import { medium } from "./medium";
import { members } from "./members";
import { plan } from "./plan";
import { ranking } from "./ranking";
import { removal } from "./removal";
import { number, particle } from "./words";

export const setup: Catalogue["setup"] = {
  ...draft,
  tab: "설정",
  tabDraft: "설정",
  newTitle: "새 프로젝트",
  newHint:
    "무엇을 라벨링할지와 이름을 정하세요. 종류는 나중에 바꿀 수 없고, 클래스, 이미지, 방법은 다음 단계에서 정하며 바꿀 수 있습니다.",
  create: "프로젝트 만들기",
  name: "프로젝트 이름",
  medium,
  basics: "찾을 대상",
  basicsHint:
    "찾으려는 클래스만 적으세요. 어느 클래스에도 속하지 않는 이미지는 라벨러가 키 하나로 판정하므로 클래스가 필요 없습니다.",
  classes: "클래스",
  classesLater:
    "변경 사항은 라벨러에게 바로 보입니다. 새 클래스는 다음 라운드부터 학습합니다. 라벨이 있는 클래스는 삭제할 수 없으며, 그 이미지는 풀에서 대기열로 보낼 수 있습니다.",
  className: (index) => `클래스 ${index} 이름`,
  classColour: (name) => `${name} 색상`,
  classHotkey: (name) => `${name} 단축키`,
  moveUp: (name) => `${name} 위로 이동`,
  moveDown: (name) => `${name} 아래로 이동`,
  removeClass: (name) => `${name} 제거`,
  describeClass: (name) => `${name} 설명`,
  classGuide: (name) => `${name}에 속하는 것`,
  classGuideHint:
    "이 클래스에 속하는 것과 속하지 않는 것을 적어 주세요. 라벨러가 가이드에서 읽습니다.",
  thisClass: "이 클래스",
  addClass: "클래스 추가",
  noHotkey: "없음",
  hotkeyTwice: (key) => `${key} 키가 두 클래스에 지정되어 있습니다.`,
  nameTwice: (name) => `‘${name}’ 클래스가 두 개 있습니다.`,
  nameEmpty: (index) => `클래스 ${index}에 이름을 입력하거나 클래스를 제거하세요.`,
  nameReserved: "OOD는 별도의 판정이므로 클래스로 만들 필요가 없습니다.",
  guidelines: "가이드라인",
  guidelinesHint: "라벨링 화면에서 이미지 옆에 표시됩니다. 헷갈릴 때의 기준을 적어 주세요.",
  images: "이미지",
  imagesHint:
    "zip, tar, Parquet 파일 또는 폴더를 추가하세요. Label Studio, COCO, YOLO, Karat에서 내보낸 파일도 됩니다. 저장하기 전에 어떻게 가져올지 먼저 보여 줍니다. 풀 이미지는 라벨링 대상이고, 평가용 이미지는 라벨이 있는 이미지(클래스마다 폴더 하나)로 정확도를 측정합니다.",
  addTo: "추가할 곳",
  splits: { pool: "풀", evaluation: "평가용", auxiliary_ood: "알려진 OOD" },
  splitHints: {
    pool: "라벨링 대상입니다. 파일에 있던 라벨은 열 이름을 지정하지 않으면 메모로만 남습니다.",
    evaluation: "클래스마다 폴더 하나로 정리한 라벨 이미지이며 정확도 측정에 사용합니다.",
    auxiliary_ood: "어느 클래스에도 속하지 않는다고 알려진 이미지입니다.",
  },
  classesFirst: "클래스를 먼저 추가하세요. 라벨은 클래스 이름으로 연결됩니다.",
  labelColumns: "라벨이 있는 열",
  labelColumnsHint:
    "Parquet 파일이나 압축 파일 메타데이터의 열 이름이며, 여러 개면 쉼표로 구분합니다. 각 열은 라벨 기록이 됩니다.",
  labelColumnsPlaceholder: "예: worse_label",
  tableTitle: (name) => `${name}의 어느 열이 라벨인가요?`,
  tableText:
    "선택한 열은 각 행이 가리키는 이미지의 라벨 기록이 되고 열 이름이 출처로 남습니다. 여러 열을 고르면 여러 표로 셉니다.",
  tableEmpty: "이미지를 가리키는 열 말고는 다른 열이 없습니다.",
  tableTake: "라벨 가져오기",
  tableKey: "이미지를 가리키는 열",
  tableKeyHint: "열마다 다른 이미지를 가리키는 행은 받지 않습니다. 열을 고르면 그 열을 따릅니다.",
  tableKeyAny: "있는 열 모두",
  countFrom: {
    label: "클래스 번호",
    hint: "숫자 열에 0이 있고 마지막 클래스를 넘는 값이 없으면 그대로 읽습니다.",
    themselves: "열에 쓰인 대로",
    from: (first) => `첫 클래스가 ${first}`,
  },
  labelsAdded: (count) => `라벨 ${number(count)}개 추가`,
  dropHere:
    "zip, tar, Parquet 파일, 폴더 또는 라벨(CSV, JSON Lines, JSON)을 여기에 끌어다 놓으세요",
  chooseFile: "파일 선택",
  bucket,
  chooseFolder: "폴더 선택",
  packing: (name, count) => `${name} 압축 중: 파일 ${number(count)}개`,
  uploading: (name, percent) => `${name} 업로드 중: ${percent}%`,
  uploadFailed: (name) => `${particle(name, "을", "를")} 업로드하지 못했습니다.`,
  files: (count) => `파일 ${number(count)}개`,
  leftOne: (name) => `${particle(name, "은", "는")} 가져오지 않고 그대로 두었습니다.`,
  left: (count, kinds) => {
    const shown = kinds
      .slice(0, 6)
      .map(([ending, of]) => `${ending || "확장자 없음"} ${number(of)}개`);
    return `파일 ${number(count)}개는 가져오지 않고 그대로 두었습니다: ${shown.join(", ")}${kinds.length > 6 ? ", …" : ""}.`;
  },
  takes:
    "이미지는 JPEG, PNG, WebP, BMP, GIF, TIFF, Parquet에서, 라벨은 CSV, JSON Lines, JSON에서 읽습니다.",
  importQueued: "대기 중",
  importRunning: "읽는 중",
  importDone: "가져옴",
  importedNothing: "가져온 것이 없음",
  importFailed: "실패",
  importCancelled: "취소됨",
  stop: "중지",
  sources: {
    bucket: "버킷",
    server: "서버 폴더",
    folder: "폴더",
    images: "낱개 이미지",
    zip: "zip 파일",
    tar: "tar 파일",
    parquet: "Parquet 파일",
    labels: "라벨 파일",
    image: "이미지",
  },
  inSplit: (split, count) => `${split} ${number(count)}개`,
  added: (count) => `이미지 ${number(count)}개 추가`,
  nothingAdded: "추가된 것 없음",
  duplicates: (count) => `중복 ${number(count)}개`,
  ofRows: (count) => `${number(count)}행: `,
  labeled: (count) => `새 라벨이 있는 행 ${number(count)}개`,
  contradicting: (count) =>
    `같은 이미지의 다른 라벨과 어긋나는 행 ${number(count)}개(라벨은 모두 보관)`,
  unchanged: (count) => `이미 있는 라벨 ${number(count)}개`,
  empty: (count) => `라벨 없는 행 ${number(count)}개`,
  refused: (count) => `${number(count)}개 거부`,
  leftOut: (count) => `${number(count)}개 제외`,
  whyLeftOut: "제외된 이유 보기",
  whyRefused: "거부된 이유 보기",
  noted: "어떻게 읽었는지 보기",
  fullReport: "전체 보고서 (CSV)",
  reason: "이유",
  refusedItems: "거부된 항목",
  someFiles: (count, names) => {
    const shown = [...names, ...(count > names.length ? ["…"] : [])].join(", ");
    return names.length > 0 ? `${number(count)}개: ${shown}` : `${number(count)}개`;
  },
  imports: "가져오기 기록",
  plan,
  ranking,
  method: "방법",
  methodHint: "기본값으로 시작해도 충분합니다. 변경 사항은 다음 라운드부터 적용됩니다.",
  kinds: {
    strategy: "질의 전략",
    purity: "순도 점수",
    informativeness: "정보량 점수",
    model: "모델",
  },
  kindHints: {
    strategy: "다음에 물어볼 이미지를 정합니다.",
    purity: "이미지가 찾으려는 클래스에 속할 가능성입니다.",
    informativeness: "답변 하나가 모델에 얼마나 도움이 되는지 나타냅니다.",
    model: "답변을 학습합니다.",
  },
  groups,
  change: "변경",
  changeOf: (kind) => `변경: ${kind}`,
  search: (count) => `이름이나 용도로 ${count}개 중에서 검색`,
  nothingFound: (words) => `‘${words}’ 검색 결과가 없습니다.`,
  inUse: "사용 중",
  use: (title) => `${title} 사용`,
  keep: (title) => `${title} 유지`,
  documentation: "문서",
  documentationOf: (title) => `문서: ${title}, 새 탭에서 열기`,
  parameters: "파라미터",
  paper: "출처",
  page: {
    onlyEnglish: "아래 설명은 영어로만 제공됩니다.",
    headings: {
      Parameters: "파라미터",
      name: "이름",
      default: "기본값",
      meaning: "설명",
    },
  },
  needs: {
    bothScores: "두 점수 모두 사용",
    purity: "순도 점수 사용",
    informativeness: "정보량 점수 사용",
    contrastive: "특징 학습 작업 필요",
    predicted_losses: "손실 예측 필요",
    ood_class: "OOD 출력 필요",
    weights: "가중치 필요",
  },
  standIn: (title) => `그때까지: ${title}`,
  needsOfModel: {
    predicted_losses: (score) => `${score}: 손실도 함께 예측하는 모델이 필요합니다.`,
    ood_class: (score) => `${score}: OOD 출력이 있는 모델이 필요합니다.`,
  },
  switchOn: "켜기",
  otherModel: "선택한 모델은 지원하지 않습니다. 다른 모델을 선택하세요.",
  advanced: "고급",
  unused: "선택한 전략은 이 점수를 사용하지 않습니다.",
  learned: "학습된 특징",
  learnFirst: (names) =>
    `먼저 풀에서 특징을 한 번 학습해야 합니다 (${names.join(", ")}). GPU에서도 몇 시간이 걸립니다. CPU라면 “Tiny CNN” 네트워크와 적은 에포크를 선택하세요. 학습이 끝날 때까지는 다른 점수로 대신합니다.`,
  learnedAt: (at) =>
    `${at.toLocaleString("ko-KR")}에 풀에서 학습했습니다. 이후 가져온 이미지의 특징은 라운드를 닫을 때 추출합니다.`,
  budget: "라운드당 예산",
  budgetFixed: "한 라운드의 판정에 쓸 수 있는 비용입니다.",
  budgetSeconds: "한 라운드에 쓸 수 있는 라벨러의 시간(초)입니다.",
  costMode: "판정 비용",
  costModes: { fixed: "정해진 값", seconds: "걸린 시간(초)" },
  costIn: "클래스 판정 비용",
  costOod: "OOD 판정 비용",
  paysFor: (classes, ood) =>
    `한 라운드에 클래스 판정 ${number(classes)}개 또는 OOD 판정 ${number(ood)}개, 혹은 둘을 섞어 진행할 수 있습니다. 불확실은 클래스와 비용이 같고 건너뛰기는 무료입니다.`,
  paysForSame: (verdicts) =>
    `한 라운드에 판정 ${number(verdicts)}개를 진행할 수 있습니다. 건너뛰기는 무료입니다.`,
  paysForTime: (time) =>
    `한 라운드에 라벨러 시간 ${particle(time, "을", "를")} 쓸 수 있습니다. 화면에 머문 시간이며 건너뛰기도 포함합니다.`,
  paysForImages: (overlap, images) =>
    `이미지당 라벨러가 ${overlap}명이면 이미지 약 ${number(images)}개입니다.`,
  overlap: "이미지당 라벨러 수",
  overlapHint: "다수의 판정이 라벨이 됩니다. 판정마다 비용이 듭니다.",
  modes: "라벨링 방식",
  modesHint: "둘 다 허용하면 라벨러가 직접 고릅니다. 변경 사항은 바로 적용됩니다.",
  mode: {
    single: {
      name: "한 장씩",
      hint: "큰 이미지를 한 장씩 보며 키 하나로 판정합니다.",
    },
    grid: {
      name: "그리드",
      hint: "모델 예측에 따라 묶은 작은 이미지를 한꺼번에 봅니다. 예측이 대체로 맞으면 더 빠르지만, 틀린 예측을 그냥 넘기기도 쉽습니다.",
    },
  },
  secondLooks: "다시 보기, 예산의 %",
  secondLooksHint:
    "잘못되었을 가능성이 가장 큰 답을 다음 라운드의 맨 앞에서 한 번 더 묻습니다. 비워 두면 여러 명이 라벨링할 때 5 %, 혼자일 때는 묻지 않습니다.",
  zeroWait: "대기 없이 라벨링",
  zeroWaitHint:
    "모델이 학습하는 동안 라벨러는 나머지 대기열을 이어서 판정합니다. 이 답변은 다음 라운드에 반영됩니다.",
  maxRounds: "라운드 수",
  maxRoundsHint: "이만큼 진행하면 프로젝트가 완료됩니다. 비워 두면 풀을 다 쓸 때까지 진행합니다.",
  seed: "시드",
  seedHint: "라운드를 재현할 수 있게 합니다.",
  inputSize,
  leaseSeconds: "이미지 보관 시간",
  leaseSecondsHint: "이미지를 화면에 띄운 라벨러에게 맡겨 두는 시간(초)입니다.",
  saveChanges: "변경 사항 저장",
  unsaved: "저장하지 않은 변경 사항",
  notSavable: "아직 저장할 수 없습니다:",
  projectNameEmpty: "프로젝트 이름을 입력하세요.",
  showProblem: "보기",
  start: "라벨링 시작",
  readyTitle: "시작할 준비가 되었습니다",
  labeledTitle: "모든 이미지에 라벨이 있습니다",
  labeledText:
    "작업에서 라벨을 선별하거나 재라벨링하세요. 라벨 없는 이미지를 추가해 라벨링할 수도 있습니다.",
  toJobs: "작업으로 이동",
  notReady: "시작하려면 다음이 필요합니다:",
  needClasses: "클래스 추가",
  needImages: "풀에 이미지 추가",
  needImport: "가져오기가 끝날 때까지 대기",
  summary: (pool, classes) => `풀에 ${pool}, ${classes}. 바로 라벨링을 시작할 수 있습니다.`,
  members,
  removal,
};
