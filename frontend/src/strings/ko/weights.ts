export const weights = {
  place: "관리, 가중치",
  hint: "프로젝트가 공개 가중치 대신 시작점으로 쓰는 신경망 가중치입니다. timm이나 torchvision의 어떤 아키텍처든 safetensors 파일로 올릴 수 있습니다. 내려받을 필요가 없고 바뀌지 않습니다.",
  add: "가중치 추가",
  table: "가중치",
  empty: "아직 가중치가 없습니다",
  emptyText:
    "함께 제공되거나 공개된 신경망에는 필요하지 않습니다. 워커가 허브에 닿지 못하거나 직접 만든 신경망이 있을 때 파일을 추가하세요.",
  name: "이름",
  architecture: "아키텍처",
  state: "점검",
  states: { checking: "점검 중", ready: "사용 가능", refused: "맞지 않음", lost: "없어짐" },
  lost: "파일이 서버에 없거나 손상되었습니다. 관리자가 같은 파일을 아무 이름으로나 다시 올리면 제자리로 돌아옵니다.",
  aside: (count: number) =>
    `출력층의 텐서 ${count}개는 쓰지 않습니다. 프로젝트가 자체 출력층을 학습합니다.`,
  size: "크기",
  added: "추가",
  usedBy: "사용하는 프로젝트",
  nobody: "없음",
  digest: "SHA-256",
  fileIs: (filename: string, sha256: string) => `${filename}, SHA-256 ${sha256}`,
  remove: "삭제",
  removeOf: (name: string) => `${name} 삭제`,
  removeTitle: (name: string) => `가중치 ‘${name}’을(를) 삭제할까요?`,
  removeText:
    "파일이 지워집니다. 이 가중치로 계산한 모델과 특징은 그대로 남습니다. 시작점으로 쓰는 프로젝트가 있으면 삭제할 수 없습니다.",
  file: "파일",
  fileHint:
    ".safetensors 파일입니다. 피클(.pth, .bin)은 코드를 실행할 수 있어 읽지 않습니다. 변환 방법은 오류 메시지가 알려 줍니다.",
  library: "라이브러리",
  architectureHint:
    "라이브러리에서 쓰는 이름입니다(예: resnet18, convnext_tiny). open_clip의 ViT-B-32 같은 가중치가 있으면 풀을 말로 검색할 수 있습니다. 워커가 텐서가 이 신경망의 것인지 점검합니다.",
  nameHint: "프로젝트에서 고를 때 쓰는 이름입니다. 비워 두면 파일 이름을 씁니다.",
  send: "업로드",
  sent: (sent: string, total: string) => `${total} 중 ${sent}`,
  published: "공개 가중치",
  choose: "관리자가 이 아키텍처용으로 올린 가중치나 공개 가중치 가운데 고르세요.",
  ofHub: "허브의 가중치",
  chooseCaptions:
    "관리자가 올린 open_clip 가중치(말로 검색할 때 쓰는 것)나 허브의 가중치 가운데 고르세요.",
  noneOfCaptions:
    "허브의 가중치를 씁니다. 올린 open_clip 가중치가 없습니다. 관리자가 ‘관리, 가중치’에서 추가할 수 있습니다.",
  noneFor: (architecture: string) =>
    `공개 가중치를 씁니다. ${architecture}용으로 올린 가중치가 없습니다. 관리자가 ‘관리, 가중치’에서 추가할 수 있습니다.`,
};
