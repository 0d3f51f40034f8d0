import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { dateRange } from "../Dates.ts"
import { texts as common } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Check } from "../ui/Field.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { notify } from "../ui/Notices.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { TextDiff } from "../comparing/TextDiff.tsx"
import { texts } from "./NoteMessages.ts"

type Version = Schemas["NoteVersion"]

/** Milliseconds of writing that are one line of the list, though the text is saved much more often. */
const oneSitting = 10 * 60_000

/** Versions of a sitting: the newest, and when the first of them was saved. */
interface Sitting {
  readonly version: Version
  readonly since: string
}

const withSteps = (versions: ReadonlyArray<Version>): ReadonlyArray<Sitting> =>
  versions.map((version) => ({ version, since: version.created_at }))

/** The versions, the newest first, without those that their author has soon continued. */
const withoutSteps = (versions: ReadonlyArray<Version>): ReadonlyArray<Sitting> => {
  const sittings: Array<Sitting> = []
  for (const each of versions) {
    const last = sittings.at(-1)
    const isStep =
      last?.version.author_id === each.author_id &&
      Date.parse(last.version.created_at) - Date.parse(each.created_at) < oneSitting
    if (isStep) sittings[sittings.length - 1] = { ...last, since: each.created_at }
    else sittings.push({ version: each, since: each.created_at })
  }
  return sittings
}

const textOf = ({ body, tags, title }: Version): string =>
  `${title}\n${tags.map((tag) => `#${tag}`).join(" ")}\n${body}`

interface HistoryDialogProps {
  readonly store: WorkspaceStore
  readonly draft: NoteDraft
  readonly note: Schemas["Note"]
  /** The version to show first, or the one before it if it was deleted; by default the current one. */
  readonly version?: number | undefined
  readonly onClose: () => void
}

/** The versions of a note, each with what it has changed, and the way back to it. */
export const HistoryDialog = ({ draft, note, onClose, store, ...start }: HistoryDialogProps) => {
  const [all, setAll] = useState<ReadonlyArray<Version>>([])
  const [showsAll, setShowsAll] = useState(start.version !== undefined)
  const sittings = showsAll ? withSteps(all) : withoutSteps(all)
  const versions = sittings.map(({ version }) => version)
  const [cursor, setCursor] = useState<string | null>(null)
  const [selected, setSelected] = useState(0)
  const [wanted, setWanted] = useState(start.version)
  const { failure, run } = useAction()
  const read = (from: string | null) =>
    run(async () => {
      const at = from === null ? {} : { cursor: from }
      const limit = wanted === undefined ? 25 : 100
      const page = await store.client.listNoteVersions({ id: note.id, limit, ...at })
      setAll((known) => (from === null ? page.data : [...known, ...page.data]))
      setCursor(page.next_cursor)
    })
  useEffect(() => void read(null), [])
  const isLast = selected === versions.length - 1
  // The changes of a version need the one before it.
  useEffect(() => {
    if (isLast && cursor !== null) void read(cursor)
  }, [isLast, cursor])
  useEffect(() => {
    if (wanted === undefined || versions.length === 0) return
    const at = versions.findIndex(({ version }) => version <= wanted)
    if (at < 0 && cursor !== null) return void read(cursor)
    setSelected(Math.max(at, 0))
    setWanted(undefined)
  }, [all])
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" }), [selected])
  const shown = versions[selected]
  const earlier = versions[selected + 1]
  const restore = ({ version }: Version) =>
    run(async () => {
      await draft.save()
      draft.receive(await store.client.restoreNoteVersion({ id: note.id, version }))
      notify(texts.history.restored)
      onClose()
    })
  return (
    <Dialog title={common.note.history} isWide onClose={onClose}>
      <Failure failure={failure} />
      {(showsAll || versions.length < all.length) && (
        <Check isChecked={showsAll} onCheck={(isChecked) => (setShowsAll(isChecked), setSelected(0))}>
          {texts.history.showAll}
        </Check>
      )}
      <div class="history">
        <ul ref={list} aria-label={common.note.history}>
          {sittings.map(({ since, version }, index) => (
            <li key={version.version}>
              <button type="button" aria-current={index === selected} onClick={() => setSelected(index)}>
                <strong>{index === 0 ? texts.history.current : texts.history.version(version.version)}</strong>
                <span>{dateRange(since, version.created_at)}</span>
                <span>{texts.history.by(store.nameOf(version.author_id) ?? "—")}</span>
              </button>
            </li>
          ))}
          {cursor !== null && (
            <li>
              <button type="button" onClick={() => void read(cursor)}>
                {common.more}
              </button>
            </li>
          )}
        </ul>
        {shown !== undefined && (
          <section aria-label={texts.history.version(shown.version)}>
            <TextDiff from={earlier === undefined ? "" : textOf(earlier)} to={textOf(shown)} />
            {selected > 0 && store.canWrite.value && (
              <>
                {shown.tags.join() !== versions[0]!.tags.join() && (
                  <p class="hint">{texts.history.restoresTags(shown.tags)}</p>
                )}
                <Button kind="main" onClick={() => void restore(shown)}>
                  {texts.history.restore}
                </Button>
              </>
            )}
          </section>
        )}
      </div>
    </Dialog>
  )
}
