import type { bucket as english } from "../en/bucket";

export const bucket: typeof english = {
  open: "버킷에서 가져오기",
  title: "원래 위치에 그대로 두는 이미지",
  text: "Karat은 이미지를 한 번만 읽고 사본을 저장하지 않습니다. 폴더와 metadata.csv는 zip에서와 같은 뜻입니다.",
  location: "위치",
  locationHint: (places) => `${places.join(", ")} 또는 그 아래 경로를 입력하세요.`,
  include: "이런 경로만",
  includeHint:
    "여러 개면 쉼표로 구분하며 *는 아무 글자나 뜻합니다. 비워 두면 이름이 이미지인 파일을 모두 가져옵니다.",
  table: "또는 이미지 목록 표",
  tableHint:
    "위치 아래에 있는 CSV, JSONL 또는 Parquet 파일의 경로입니다. 경로는 key 열에 적고, 필요하면 split, label 등의 열을 둡니다.",
  includeExample: "예: */2024/*.jpg",
  tableExample: "예: images.csv",
  start: "가져오기",
  sync: {
    often: "그다음에는",
    oftenHint:
      "위치를 따라가면 그곳에 새로 생긴 이미지를 자동으로 가져옵니다. 그곳에서 바뀌거나 사라진 것은 알려 주기만 하며, 라벨과 이미지는 그대로 남습니다.",
    once: "한 번만 가져오기",
    start: "따라가기",
    every: {
      60: "1시간마다 따라가기",
      1440: "하루마다 따라가기",
      10080: "일주일마다 따라가기",
    },
    title: "따라가는 위치",
    schedule: "확인 간격",
    scheduleOf: (place) => `${place} 확인 간격`,
    choices: {
      0: "요청할 때만",
      60: "1시간마다",
      1440: "하루마다",
      10080: "일주일마다",
    },
    minutes: (count) => `${count}분마다`,
    looking: "확인 중",
    waits: "아직 확인하지 않음",
    fresh: "최신 상태",
    differs: "풀과 다름",
    failed: "연결되지 않음",
    importing: "가져오는 중",
    ended: "가져오기가 끝나지 않음",
    endedText:
      "마지막 가져오기가 실패했거나 취소되었습니다. 위에서 다시 시도하거나, 지금 확인하면 새로 시작합니다.",
    there: (count) => `이미지 ${count.toLocaleString()}개`,
    fresher: (count) => `새 이미지 ${count.toLocaleString()}개`,
    looked: (time) => `${time}에 확인함`,
    run: "지금 확인",
    runThis: (place) => `지금 확인: ${place}`,
    remove: "따라가기 중지",
    removeThis: (place) => `따라가기 중지: ${place}`,
    removeTitle: "이 위치를 더 이상 따라가지 않을까요?",
    removeText: "이 위치에서 더는 자동으로 가져오지 않습니다. 가져온 것은 모두 남습니다.",
    changed: {
      title: (count) => `그곳에서 이미지 ${count.toLocaleString()}개가 바뀌었습니다`,
      text: "라벨은 그대로이며, 예전 내용이 돌아올 때까지 원본을 보여 주지 않습니다. 새 내용을 따로 가져오려면 이 위치를 한 번 더 가져오세요.",
    },
    gone: {
      title: (count) => `그곳에서 이미지 ${count.toLocaleString()}개가 사라졌습니다`,
      text: "라벨은 그대로이고 전과 같이 계산에 들어가며, 원본만 보여 줄 수 없습니다. 다시 넣거나 옮겨 간 위치를 가져오세요.",
    },
    more: (count) => `외 ${count.toLocaleString()}개`,
    faults: {
      location_denied: "버킷이 접근을 거부합니다. 운영자가 자격 증명을 설정해야 합니다.",
      location_unavailable: "버킷에 연결할 수 없습니다. 자동으로 다시 시도합니다.",
      location_not_allowed: "운영자가 이 위치를 더 이상 허용하지 않습니다.",
      locations_off: "운영자가 이 위치를 더 이상 허용하지 않습니다.",
      not_found: "이 위치가 더 이상 없습니다.",
    } as Record<string, string>,
  },
};
