import type { Project } from "../api/types";
import { arm } from "./boxes/commands";
import { describe, short } from "./boxes/describe";
import * as boxKeys from "./boxes/keys";
import { Panel as BoxesPanel } from "./boxes/Panel";
import { Stage as BoxesStage } from "./boxes/Stage";
import { Thumbnail as BoxesThumbnail } from "./boxes/Thumbnail";
import { useEditor } from "./boxes/useEditor";
import { LABELED } from "./choice";
import { nameOf, shortNameOf } from "./classification/describe";
import { commandFor } from "./classification/keys";
import { Panel } from "./classification/Panel";
import { Stage } from "./classification/Stage";
import { Thumbnail } from "./classification/Thumbnail";
import { describe as describeOrder, short as shortOrder } from "./instructions/describe";
import { commandFor as orderCommandFor } from "./instructions/keys";
import { Panel as OrderPanel } from "./instructions/Panel";
import { Stage as OrderStage } from "./instructions/Stage";
import { Thumbnail as OrderThumbnail } from "./instructions/Thumbnail";
import { useRanking } from "./instructions/useRanking";
import type { TaskView } from "./spec";
import type { KnownTask } from "./traits";

const taskViews: Record<KnownTask, TaskView> = {
  classification: {
    keepsGiven: true,
    useWork: () => null,
    Stage,
    Panel,
    Thumbnail,
    commandFor,
    choose: (classId) => ({ verdict: LABELED, classId }),
    describe: nameOf,
    short: shortNameOf,
  },
  boxes: {
    keepsGiven: true,
    useWork: useEditor,
    Stage: BoxesStage,
    Panel: BoxesPanel,
    Thumbnail: BoxesThumbnail,
    commandFor: boxKeys.commandFor,
    choose: (classId, editor) => {
      if (editor?.kind === "boxes") arm(editor, classId);
      return null;
    },
    describe,
    short,
  },
  instructions: {
    keepsGiven: false,
    useWork: useRanking,
    Stage: OrderStage,
    Panel: OrderPanel,
    Thumbnail: OrderThumbnail,
    commandFor: orderCommandFor,
    choose: () => null,
    describe: describeOrder,
    short: shortOrder,
  },
};

/** How a type of task is worked on; throws where there are no pages for it. */
export function taskViewOf({ task }: Pick<Project, "task">): TaskView {
  const view = (taskViews as Partial<Record<string, TaskView>>)[task];
  if (!view) throw new Error(`there is no page for tasks of type ${task}`);
  return view;
}
