import { GlossaryScreen } from "../features/docs/GlossaryScreen";
import { t } from "../strings";
import { useTitle } from "../ui/useTitle";

export function Component() {
  useTitle(t.glossary.title);
  return <GlossaryScreen />;
}
