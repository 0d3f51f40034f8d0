import { anchorOf, folded, readingsOf } from "../../../../services/markdown/LinkText.ts"
import { addressOf, route } from "../Navigation.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { shownDialog } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { summariesOf } from "./LinkedSummaries.ts"
import { linkTexts } from "./LinkMessages.ts"

/** The place that a link names in the note with a title. */
const anchorIn = (target: string, title: string): string | undefined => {
  const place = readingsOf(target).find((reading) => folded(reading.title) === folded(title))?.place
  return place ? anchorOf(place) : undefined
}

const close = () => (shownDialog.value = undefined)

/** Asks which of several notes to open that a link may mean. */
export const chooseNote = async (
  store: WorkspaceStore,
  target: string,
  candidates: ReadonlyArray<string>
): Promise<void> => {
  const notes = await summariesOf(store, candidates)
  shownDialog.value = (
    <Dialog title={linkTexts.candidates.title(target)} onClose={close}>
      <p>{linkTexts.candidates.lead}</p>
      <ul class="linked">
        {notes.map(({ excerpt, id, notebook_id, title }, index) => (
          <li key={id}>
            <a
              href={addressOf(route.value.filter, id, anchorIn(target, title))}
              autofocus={index === 0}
              onClick={close}
              dir="auto"
            >
              <strong>{title}</strong> <span class="hint">{store.pathOf(notebook_id).join(" / ")}</span>
              <span class="words">{excerpt}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
