import type { Catalogue } from "../catalogue";
import type { Overrides } from "../medium";
import { said } from "./said";
import { particle } from "./words";

/** Sentences that say something else of texts than of images. */
export const overrides: Overrides<Catalogue> = {
  advice: {
    cannotTell: {
      change: (model) =>
        `설정에서 모델 ‘${model}’${particle(model, "을", "를").slice(model.length)} 선택하세요. 처음부터 언어를 가장 잘 이해합니다.`,
      larger:
        "공개된 네트워크나 텍스트 자체에서 배우는 모델을 선택하세요. 읽어 보고 구분할 수 있는 텍스트인지도 확인해 보세요.",
    },
    time: { once: (time) => `그 전에 한 번, 텍스트를 처음 읽는 데 ${time} 걸립니다.` },
  },
  alike: {
    file: "텍스트로 찾기…",
    drop: "텍스트 파일을 놓으면 비슷한 텍스트를 찾습니다",
    looking: "텍스트를 읽는 중…",
    toFile: "입력한 텍스트",
    neverText: "거의 같은 말로 된 텍스트를 찾습니다. 라운드에서 쓰는 특징으로 비교합니다.",
    none: "두 번 있는 텍스트가 없습니다",
    group: (id) => `${particle(`텍스트 ${id}`, "과", "와")} 같은 내용`,
    leaking: (groups) =>
      `텍스트 ${groups.toLocaleString("ko-KR")}개가 풀과 평가용에 모두 있습니다.`,
    copiesHint: "같은 텍스트가 여러 번 있습니다. 키 하나로 모두 판정합니다",
  },
  common: { phases: { fit: "텍스트 맞추기" }, said },
  exports: {
    unlabeledHint: "프로젝트 전체를 옮길 때 사용하세요.",
    formats: {
      label_studio: {
        text: "텍스트가 든 JSON 작업 목록과 라벨링 화면 설정입니다. 건너뛰기는 취소된 주석이며, OOD와 불확실은 별도 선택지입니다.",
      },
    },
  },
  grid: {
    preview: "텍스트 전체",
    previewHint: "카드를 가리키거나 카드로 이동하면 여기에서 전체를 읽을 수 있습니다.",
    helpRows: {
      move: "카드 사이를 이동, Shift를 누르면 지나가며 선택",
      look: "텍스트 전체 읽기, 화살표와 페이지 키로 이동",
    },
  },
  label: {
    waiting: { steps: { embed: "텍스트 읽는 중" } },
    helpRows: { zoom: "고정폭 글꼴" },
  },
  overview: {
    allExports: "다른 형식: Label Studio, doccano, Parquet …",
    firstSteps: {
      steps: {
        images: {
          text: "표, 폴더나 압축 파일을 넣으세요. 확인하기 전에는 아무것도 저장하지 않습니다.",
        },
      },
    },
    job: { resize: "크기 바꾸기" },
  },
  pool: {
    keysUnlit:
      "화살표 또는 J, K로 이동, X로 선택, S로 비슷한 텍스트 찾기, Enter로 열기, Esc로 닫기.",
  },
  setup: {
    beforeImport: "가져오기 전에 정하기: 용도와 라벨",
    imagesHint:
      "표(CSV), JSON Lines, Parquet 파일, 텍스트 파일이나 폴더를 추가하세요. Label Studio, doccano, Karat에서 내보낸 파일도 됩니다. 저장하기 전에 어떻게 가져올지 먼저 보여 줍니다. 풀 텍스트는 라벨링 대상이고, 평가용 텍스트는 라벨과 함께 들어와 정확도를 측정합니다.",
    dropHere:
      "표(CSV, TSV), JSON Lines, JSON, Parquet 파일, zip, tar 또는 텍스트 파일 폴더를 여기에 놓으세요",
    splitHints: { evaluation: "라벨이 있는 텍스트이며 정확도 측정에 사용합니다." },
    labelColumnsHint:
      "표나 Parquet 파일의 열 이름입니다. 여러 개면 쉼표로 구분하며, 라벨 기록이 됩니다.",
    left: {
      takes:
        "텍스트는 표(CSV, TSV), JSON Lines, JSON, Parquet, 텍스트 파일(.txt, .md)에서 읽습니다.",
    },
    sources: { labels: "표", images: "낱개 파일", image: "텍스트 파일" },
    plan: { notSeen: "중복은 가져오는 동안 찾습니다." },
    mode: {
      single: { hint: "텍스트를 하나씩 읽으며 키 하나로 판정합니다." },
      grid: {
        hint: "모델 예측에 따라 묶은 텍스트의 앞부분을 카드로 봅니다. 예측이 대체로 맞으면 더 빠르지만, 틀린 예측을 그냥 넘기기도 쉽습니다.",
      },
    },
  },
};
