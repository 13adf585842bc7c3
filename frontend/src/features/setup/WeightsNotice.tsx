import type { Choice } from "../../api/types";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";

type WeightsNoticeProps = {
  model: Choice | undefined;
  said: string;
  /** What has come of it. */
  lead?: string;
};

/** What is wrong with what a model starts from; admins are led to where they add a file for it. */
export function WeightsNotice({ model, said, lead = "" }: WeightsNoticeProps) {
  const missing = new URLSearchParams({
    library: model?.name ?? "",
    architecture: String(model?.params?.architecture ?? ""),
  });
  return (
    <Notice tone={lead === "" ? "gold" : "bad"}>
      {lead} <Said missing={missing}>{said}</Said>
    </Notice>
  );
}
