import { importTexts } from "./ImportTexts.ts"
import type { Signal } from "@preact/signals"
import { Dialog } from "../ui/Dialog.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { ImportPane } from "./ImportPane.tsx"
import type { ImportRun } from "./ImportRun.ts"

interface ImportDialogProps {
  readonly store: WorkspaceStore
  /** The import that is shown. It outlives the dialog. */
  readonly current: Signal<ImportRun | undefined>
  readonly onOpen: () => void
  readonly onClose: () => void
}

export const ImportDialog = ({ current, onClose, onOpen, store }: ImportDialogProps) => (
  <Dialog title={importTexts.title} onClose={onClose}>
    <ImportPane store={store} current={current} onShow={onOpen} />
  </Dialog>
)
