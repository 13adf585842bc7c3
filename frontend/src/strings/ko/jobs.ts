import type { Catalogue } from "../catalogue";
import { comparison } from "./comparison";
import { jobList } from "./jobList";
import { questions } from "./questions";
import { relabel, subset } from "./results";
import { number, particle } from "./words";

export const jobs: Catalogue["jobs"] = {
  tab: "작업",
  intro:
    "직접 시작하는 작업입니다. 라운드에 순서를 양보하며, 중지했다가 나중에 이어서 할 수 있습니다.",
  questions,
  others: (titles) => `다른 작업: ${titles.join(", ")}`,
  start: "시작",
  estimate: {
    action: "예상 시간 확인",
    hint: "작업을 시작할 수 있는지 확인하고 걸리는 시간을 잽니다. 결과는 저장하지 않습니다.",
    says: (time, memory, device, images) =>
      `이 워커의 ${device}에서 이미지 ${number(images)}개를 처리하는 데 ${time}, 메모리 ${memory}가 필요합니다.`,
    phases: "단계별:",
    short: (time, memory) => `예상: ${time}, ${memory}`,
    run: "예상 시간 확인",
    preview: "미리 보기",
    before:
      "네트워크를 학습하므로 매개변수와 장비에 따라 몇 분에서 몇 시간이 걸립니다. ‘예상 시간 확인’을 누르면 먼저 여기서 재어 봅니다.",
  },
  startAfresh: "처음부터 시작",
  goOn: "이어서 하기",
  stop: "중지",
  stopped: "중지되었습니다. 멈춘 지점부터 이어서 할 수 있습니다.",
  needsImages: "먼저 풀에 이미지를 추가하세요.",
  parameters: "파라미터",
  runs: (title) => `${title} 실행 기록`,
  earlier: (count) => `이전 실행 ${count}개`,
  columns: { started: "시작", state: "상태", took: "소요 시간", outcome: "결과" },
  states: {
    queued: "대기 중",
    running: "실행 중",
    paused: "일시 중지",
    succeeded: "완료",
    failed: "실패",
    cancelled: "중지됨",
  },
  regularized: (ways) => `학습 방법 ${ways}가지 비교`,
  learned: (images) => `이미지 ${number(images)}개의 특징`,
  mapped: (images) => `이미지 ${number(images)}개의 지도`,
  compared: (images, copies) => `이미지 ${number(images)}개 비교, 사본 ${number(copies)}개`,
  resized: (images, size) =>
    `이미지 ${number(images)}개를 ${particle(`${size} × ${size}`, "으로", "로")}`,
  pruned: (kept, labeled) => `라벨 ${number(labeled)}개 중 ${number(kept)}개 유지`,
  doubted: (doubted, labeled) => `라벨 ${number(labeled)}개 중 ${number(doubted)}개 의심`,
  advanced: (closed, opened) => {
    if (closed === null) return `라운드 ${opened} 열림`;
    return opened === null ? `라운드 ${closed} 닫힘` : `라운드 ${closed} 닫힘, ${opened} 열림`;
  },
  showResult: {
    taufe: "비교 결과 보기",
    localize: "찾은 것 보기",
    prune: "부분집합 보기",
    select_instructions: "남긴 것 보기",
    relabel: "제안 보기",
    certify: "보증 보기",
  },
  numbered: (id) => `작업 ${id}`,
  back: "모든 작업",
  titled: (what, id) => `${what}, 작업 ${id}`,
  noResult: "완료되었습니다. 더 보여 줄 결과는 없습니다.",
  ...jobList,
  log: {
    title: "로그",
    hint: "한 줄에 이벤트 하나이며 시각은 UTC입니다.",
    plain: "텍스트로 보기",
    empty: "아직 기록이 없습니다. 작업을 시작한 워커가 없습니다.",
  },
  subsets: {
    title: "부분집합",
    tab: "모든 부분집합",
    hint: "선별 작업의 결과입니다. 한 번에 하나만 사용할 수 있으며, 삭제되는 것은 없습니다.",
    none: "아직 부분집합이 없습니다",
    noneText:
      "부분집합은 학습에 좋은 라벨의 모음입니다. 작업 페이지에서 무엇으로 학습할지 물어보세요.",
    columns: {
      subset: "부분집합",
      method: "방법",
      kept: "유지",
      noise: "노이즈",
      made: "생성일",
      use: "사용",
      export: "내보내기",
    },
    name: (id) => `부분집합 ${id}`,
    option: (id, method, kept) => `${id}: ${method}, ${number(kept)}개 유지`,
    everything: "라벨이 있는 모든 이미지",
    choiceHint: "학습에 쓸 라벨입니다. 부분집합이 제외한 라벨도 똑같이 판정합니다.",
    inUse: (id, method, kept, labeled) =>
      `라운드는 부분집합 ${id}(${method}) 및 그 뒤에 새로 붙이거나 고친 라벨로 학습합니다. 이 부분집합은 라벨 ${number(labeled)}개 중 ${number(kept)}개를 유지합니다.`,
    keptOf: (kept, labeled) => `${number(kept)} / ${number(labeled)}`,
    exportThis: (id) => `부분집합 ${id} 내보내기`,
    short: { csv: "CSV", parquet: "Parquet", ids: "ID", imagefolder: "이미지" },
    formats: {
      csv: "모든 행 (CSV)",
      parquet: "모든 행 (Parquet)",
      ids: "유지된 ID",
      imagefolder: "유지된 이미지 폴더 (zip)",
    },
    compare: "두 부분집합 비교",
    compareHint: "둘 다 유지하는 라벨과 한쪽만 유지하는 라벨을 보여 줍니다.",
    first: "첫 번째",
    second: "두 번째",
    both: (common, union, jaccard) =>
      `둘 중 하나라도 유지하는 라벨 ${number(union)}개 가운데 ${number(common)}개를 둘 다 유지합니다. 자카드 지수 ${jaccard}.`,
    figure: "지표",
    kept: "유지",
    only: "여기만",
    noise: "노이즈",
    known: "정답 있음",
    keptAs: (name) => `${name} 유지`,
    onlyIn: (id) => `부분집합 ${id}에만 있음`,
    onlyHint: (shown, all) =>
      shown < all
        ? `전체 ${number(all)}개 중 순위가 높은 ${shown}개입니다.`
        : "순위가 높은 순서입니다.",
    nothing: "없습니다. 다른 부분집합이 모두 유지합니다.",
  },
  subset,
  relabel,
  comparison,
};
