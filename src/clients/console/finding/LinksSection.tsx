import { signal } from "@preact/signals"
import { choose, chosen } from "../DeviceSettings.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { lazily } from "../ui/lazily.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { texts } from "./FindingMessages.ts"

const Backlinks = lazily(async () => (await import("../links/LinkParts.ts")).Backlinks)

/** Whether the links to the open note are shown, on this device. */
const isShown = signal(chosen("links") === true)

const show = (isOpen: boolean): void => {
  if (isShown.value !== isOpen) choose("links", (isShown.value = isOpen))
}

interface LinksSectionProps {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
  readonly onClose?: () => void
}

/** The links to the open note. They are read while they are shown. */
export const LinksSection = ({ draft, store }: LinksSectionProps) => {
  const id = draft.note.value?.id
  if (id === undefined) return null
  return (
    <details class="links" open={isShown.value} onToggle={({ currentTarget }) => show(currentTarget.open)}>
      <summary>{texts.links}</summary>
      {isShown.value && <Backlinks store={store} draft={draft} id={id} onClose={() => show(false)} />}
    </details>
  )
}

/** Shows the links to the open note, if there is one. */
export const showLinks = (): void => {
  const summary = document.querySelector<HTMLElement>(".links > summary")
  if (summary === null) return
  show(true)
  summary.focus()
  summary.scrollIntoView({ block: "start" })
}
