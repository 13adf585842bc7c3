import type { Catalogue } from "../catalogue";
import { number } from "./words";

export const boxes: Catalogue["boxes"] = {
  count: (count) => `상자 ${number(count)}개`,
  none: "해당 없음",
  noneShort: "없음",
  noneText: "살펴보았지만 이 이미지에는 찾는 클래스가 하나도 없습니다.",
  ood: "다른 종류의 이미지",
  oodShort: "다른 종류",
  oodText: "찾는 것이 없고, 애초에 다루는 종류의 이미지가 아닙니다.",
  some: "상자 있음",
  either: "상자 또는 해당 없음",
  tips: {
    some: "상자가 그려진 이미지입니다. 프로젝트의 클래스가 하나 이상 있습니다.",
    none: "살펴보았지만 프로젝트의 클래스가 하나도 없는 이미지입니다.",
  },
  likelyNone: "찾는 클래스가 없을 가능성이 높음",
  left: "풀에 남은, 찾는 클래스가 없는 이미지",
  inside: (inside, name, sure) => `찾는 것이 있을 확률 ${inside}, 있다면 ${name}(확신 ${sure})`,
  drawWhat: "그릴 상자의 클래스",
  send: (count) => `상자 ${number(count)}개 보내기`,
  sendNothing: "아직 상자 없음",
  back: "이전",
  both: "실선은 왼쪽 판정, 점선은 오른쪽에만 있는 상자입니다.",
  sendEdited: (count) => `둘 다 아님: 이미지에 보이는 상자 ${number(count)}개`,
  chosen: "선택한 상자",
  noneChosen: (count, byFinger) => {
    if (count === 0)
      return `이미지 위를 ${byFinger ? "끌어" : "끌거나 Shift+B를 눌러"} 상자를 그립니다. 다른 클래스의 상자는 그 클래스를 먼저 고르세요.`;
    return byFinger
      ? "상자를 두드려 선택합니다."
      : "Tab으로 상자를 차례로 보고, 클릭해서 선택합니다.";
  },
  duplicate: "복제",
  remove: "삭제",
  clip: "가장자리에서 자르기",
  keep: "유지",
  reject: "틀림",
  space: "스페이스",
  flags: {
    occluded: "가려짐",
    truncated: "잘림",
    difficult: "어려움",
    crowd: "무리",
  },
  flagTexts: {
    occluded: "다른 것에 일부가 가려져 있음",
    truncated: "일부가 이미지 밖에 있음",
    difficult: "사람도 알아보기 어려움",
    crowd: "여러 개가 모여 있어 하나씩 구분할 수 없음",
  },
  attributes: {
    title: "속성",
    add: "속성 추가",
    open: (count) => (count > 0 ? `속성 (${number(count)})` : "속성"),
    of: (name) => `이 상자의 속성: ${name}`,
    hint: "클래스 말고 이 상자에 관해 적힌 것입니다. 함께 가져온 파일에 있던 것일 수 있습니다. 이름과 값이 모두 빈 줄은 없는 것으로 칩니다.",
    row: (place) => `속성 ${number(place)}`,
    name: "이름",
    kind: "종류",
    value: "값",
    kinds: { text: "글", number: "숫자", truth: "예 또는 아니요" },
    yes: "예",
    no: "아니요",
    remove: (name) => (name ? `${name} 지우기` : "이 줄 지우기"),
    done: "완료",
    faults: {
      empty: "이름이 필요합니다.",
      reserved: "따로 표시하는 것입니다. 다른 이름을 쓰세요.",
      twice: "같은 이름이 이미 있습니다.",
      number: "숫자가 아닙니다.",
    },
  },
  stage: (count) => `상자 ${number(count)}개가 있는 이미지`,
  stageHint:
    "Tab으로 상자를 차례로 보고, Shift+B로 새 상자를 놓고, 화살표로 선택한 상자를 옮기며, Control과 화살표로 크기를 바꿉니다. 선택한 상자도 그릴 클래스도 없을 때까지 Escape를 누르면 상자에서 나가며, 그다음 Tab은 페이지의 다음 항목으로 갑니다.",
  says: {
    box: (place, of, name, size, x, y) =>
      `상자 ${of}개 중 ${place}번째: ${name}, ${size}픽셀, 위치 ${x}, ${y}`,
    proposal: (name, percent) => `제안: ${name}, 확신 ${percent}%`,
    besides: (name) => `상대편에만 있는 상자: ${name}`,
  },
  hint: {
    draw: (name) => `끌어서 그리기: ${name}`,
  },
  notice: {
    small: (size) => `${size}픽셀뿐입니다. 의도한 것인가요?`,
    tooSmall: "너무 작아 보이지 않습니다. 이미지를 확대해서 그리세요.",
    outside: "이미지 바깥입니다.",
    noneToSend: (open, isTouch) => {
      const none = isTouch ? "‘해당 없음’을 누르세요" : "Shift+N을 누르세요";
      const keeps = isTouch ? "제안을 유지하거나, " : "Shift+Enter로 제안을 모두 유지해 보내거나, ";
      return `아직 상자가 없습니다. ${open > 0 ? keeps : ""}이미지에 아무것도 없으면 ${none}.`;
    },
    notEmpty: "상자가 있습니다. 먼저 삭제하거나 보내세요.",
    noClass: "먼저 클래스를 선택하세요.",
    nothingCopied: "아직 복사한 것이 없습니다.",
    before: (count, byFinger) => {
      const how = byFinger ? "이미지 아래의 “다시 하기”를" : "Ctrl+Shift+Z를";
      return `그렇게 판정하기 전에 상자 ${number(count)}개가 있었습니다. ${how} 누르면 되살아납니다.`;
    },
    removed: (count) =>
      count === 0
        ? "그리던 클래스가 삭제되었습니다. 다른 클래스를 선택하세요."
        : `클래스가 삭제되어 상자 ${number(count)}개가 사라졌습니다.`,
    undecided: (count) =>
      `제안 ${number(count)}개가 남아 있습니다. Enter는 제외하고, Shift+Enter는 모두 유지합니다.`,
    added: (count, left) =>
      left === 0
        ? `상자 ${number(count)}개 추가됨`
        : `상자 ${number(count)}개 추가됨. ${number(left)}개는 이미지 바깥에 있거나 클래스가 삭제되어 추가하지 않았습니다.`,
    kept: (count) => `제안 ${number(count)}개 유지됨`,
    clipped: (count) => `상자 ${number(count)}개를 가장자리에서 잘랐습니다`,
  },
  suggestions: {
    title: "제안된 상자",
    from: "표시할 제안의 확신",
    left: (open, below) =>
      below > 0
        ? `남은 제안 ${number(open)}개, 점 ${number(below)}개`
        : `남은 제안 ${number(open)}개`,
    keepAll: "모두 유지",
  },
  tools: {
    title: "도구",
    drawing: "끌면 그려집니다. 선택과 이동으로 바꾸기",
    choosing: "끌면 상자가 움직입니다. 그리기로 바꾸기",
    undo: "마지막 단계 되돌리기",
    redo: "다시 하기",
    repeat: "상자가 있던 마지막 이미지의 상자",
    guides: "포인터 안내선",
    hide: "상자 숨기기",
  },
  exports: { coco: "이미지와 상자, COCO (zip)", yolo: "이미지와 상자, YOLO (zip)" },
  exported: (some, none, ood, unsure) =>
    `상자 있음 ${number(some)}개, 해당 없음 ${number(none)}개, 다른 종류(OOD) ${number(ood)}개, 불확실 ${number(unsure)}개.`,
  allExports: "다른 형식: VOC, CVAT, Label Studio, Parquet …",
  touch: {
    label: [
      "한 손가락으로 끌면 이미지 아래에서 선택한 클래스의 상자가 그려집니다. 이미지 밑의 첫째 도구로 바꾸면 상자를 선택하고 옮깁니다.",
      "상자를 탭하면 선택됩니다. 모서리를 당기거나 가운데 손잡이로 옮기세요. 할 수 있는 일은 이미지 아래에 나옵니다.",
      "두 손가락으로 이미지를 확대하고 옮깁니다.",
      "점선은 제안된 상자입니다. 탭해서 유지하거나 틀림을 누르세요. ‘모두 유지’는 보이는 제안을 모두 유지합니다.",
      "‘해당 없음’과 ‘다른 종류의 이미지’도 다른 판정과 똑같이 도움이 됩니다.",
      "불확실은 알 수 없을 때, 건너뛰기는 나중에 볼 때 누릅니다. 아래의 작은 이미지를 탭하면 답을 바꿀 수 있습니다.",
    ],
    review: [
      "맞는 판정을 탭하세요. 실선은 왼쪽 판정, 점선은 오른쪽에만 있는 상자입니다.",
      "또는 점선 상자를 탭해 유지하거나 직접 그린 뒤, 이미지에 보이는 상자를 보내세요.",
    ],
  },
  setup: {
    basicsHint:
      "찾으려는 클래스만 적으세요. 찾는 클래스가 없는 이미지와 다른 종류의 이미지는 라벨러가 각각 키 하나로 판정합니다.",
    imagesHint:
      "zip, tar, Parquet 파일 또는 폴더를 추가하세요. COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, Karat에서 내보낸 파일도 됩니다. 저장하기 전에 어떻게 가져올지 먼저 보여 줍니다. 풀 이미지는 라벨링 대상이고, 평가용 이미지는 이런 형식으로 된 상자와 함께 가져와 모델 성능을 측정합니다.",
    takes:
      "이미지는 JPEG, PNG, WebP, HEIC, AVIF, BMP, GIF, TIFF, Parquet에서, 상자는 YOLO, Pascal VOC, CVAT, COCO, LabelMe, Label Studio 파일에서 읽습니다.",
    splitHints: {
      pool: "라벨링 대상입니다. 파일에 있던 상자는 판정이 됩니다.",
      evaluation: "모든 상자가 함께 있는 이미지이며 모델 성능 측정에 사용합니다.",
      auxiliary_ood: "다른 종류라고 알려진 이미지입니다.",
    },
    goals: {
      best_model:
        "찾는 클래스의 물체를 찾아내는 모델을 만듭니다. 가장 많이 배울 수 있는 이미지를 먼저 묻습니다.",
      find_all:
        "찾는 클래스의 물체가 있는 이미지를 모두 찾습니다. 가능성이 가장 높은 이미지를 먼저 묻습니다.",
    },
    costIn: "상자를 그린 이미지의 비용",
    costOod: "‘다른 종류의 이미지’의 비용",
    paysFor: (boxes, ood) =>
      `한 라운드에서 상자를 그리거나 해당 없음으로 답한 이미지 ${number(boxes)}개, 또는 다른 종류의 이미지 ${number(ood)}개, 또는 둘을 섞어 판정할 수 있습니다. 불확실은 상자와 같은 비용이고 건너뛰기는 무료입니다.`,
    shifted: "어긋난 제안, 이미지의 %",
    shiftedHint:
      "이 비율의 이미지에서 제안된 상자 하나를 제자리에서 조금 옮겨 보여 줍니다. 그대로 유지하면 살펴보지 않은 것이며, 개요에 라벨러별로 집계됩니다.",
    unlabeledHint: "프로젝트 전체를 옮길 때 사용하세요.",
    withoutClass: (count) =>
      `${number(count)}개는 상자가 없거나 클래스가 아닌 상자가 있어 평가에 쓸 수 없습니다`,
    unknownClasses: (names) =>
      `${names.slice(0, 6).join(", ")}${names.length > 6 ? " …" : ""} 상자가 있는 이미지는 상자 없이 가져옵니다. 프로젝트에 그런 클래스가 없습니다.`,
  },
  keys: {
    arm: "이 클래스의 상자를 그림, 선택한 상자는 이 클래스로 바뀜",
    send: "상자 보내기",
    sendOwn: "둘 다 아니고 이미지에 보이는 상자를 보내기",
    none: "이미지에 찾는 클래스가 없음",
    keepSend: "제안을 모두 유지하고 보내기",
    put: "가운데에 상자를 놓기, 화살표로 옮김",
    leave: "Escape를 상자에서 나갈 때까지 누르면 Tab이 페이지로 이동",
    cycle: "상자를 차례로 가까이 보기",
    nudge: "선택한 상자 이동, Shift와 함께 열 칸씩",
    pull: "너비와 높이 바꾸기",
    remove: "상자 삭제, 제안은 틀림으로 표시",
    keep: "제안을 유지하고 다음으로",
    keepAll: "제안 모두 유지",
    threshold: "제안을 많이 또는 적게 표시",
    flags: "가려짐, 잘림, 어려움, 무리",
    attributes: "상자의 속성 바꾸기",
    duplicate: "상자 복제",
    copy: "복사와 붙여넣기: 선택한 상자 또는 전체",
    repeat: "상자가 있던 마지막 이미지의 상자 가져오기",
    undo: "한 단계 되돌리기, 다시 하기",
    hide: "누르고 있는 동안 상자를 숨김",
    tool: "그리기와 선택 전환, Escape도 같음",
    clip: "이미지 밖으로 나간 상자 자르기",
    guides: "포인터 안내선 켜기와 끄기",
    zoom: "확대, 축소, 이미지 전체 보기",
    pan: "오른쪽 단추로 끌거나 스페이스를 누른 채 끌어 이미지 이동",
  },
};
