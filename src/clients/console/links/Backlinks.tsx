import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { addressOf, route } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { isAway, messageOf } from "../ui/Notices.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useReading } from "../ui/useReading.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { mostBroken } from "./FollowBroken.ts"
import { followTarget, idIn } from "./FollowLink.ts"
import { linkMentions } from "./LinkMentions.ts"
import { linkTexts } from "./LinkMessages.ts"

type Link = Schemas["NoteLink"]

interface BacklinksProps {
  readonly store: WorkspaceStore
  readonly draft: NoteDraft
  readonly id: string
}

/** The words around a link, with those that it shows marked, if they are there once: of several, any may be the link. */
const Words = ({ link: { context, text } }: { readonly link: Link }) => {
  const parts = text === "" ? [] : context.split(text)
  if (parts.length !== 2) return <span class="words">{context}</span>
  const [before, after] = parts
  return (
    <span class="words">
      {before}
      <mark>{text}</mark>
      {after}
    </span>
  )
}

/** The links of one note to another one. Those in its text have places in it. */
const Source = ({ links, store }: { readonly links: ReadonlyArray<Link>; readonly store: WorkspaceStore }) => {
  const { note_id, note_title, notebook_id, target_id } = links[0]!
  const { filter } = route.value
  const inText = links.filter(({ kind }) => kind !== "property")
  return (
    <li>
      <a href={addressOf(filter, note_id)} dir="auto">
        <strong>{note_title}</strong> <span class="hint">{store.pathOf(notebook_id).join(" / ")}</span>
      </a>
      <ul>
        {links.map((link) => (
          <li key={link.id}>
            <a href={addressOf(filter, note_id, `${target_id}~${inText.indexOf(link)}`)} dir="auto">
              <Words link={link} />
            </a>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The links of a note that lead to no note or may mean several. Each leads to its note, once that is made or chosen. */
const Broken = ({ draft, links, store }: Omit<BacklinksProps, "id"> & { readonly links: ReadonlyArray<Link> }) => {
  const { ambiguous, broken, deleted, missing } = linkTexts.backlinks
  const reasonOf = ({ status, target }: Link) =>
    status === "ambiguous" ? ambiguous : idIn(target) !== undefined ? deleted : missing
  return (
    <>
      <h2>{broken}</h2>
      <ul class="linked">
        {links.map((link) => (
          <li key={link.id}>
            <button type="button" class="link" dir="auto" onClick={() => void followTarget(store, draft, link.target)}>
              {link.target}
            </button>{" "}
            <span class="hint">{reasonOf(link)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

interface MentionsProps {
  readonly store: WorkspaceStore
  readonly note: Schemas["Note"]
}

/** The notes that mention a note without a link to it. Each mention becomes one by a button. */
const Mentions = ({ note, store }: MentionsProps) => {
  const own = linkTexts.backlinks
  const [isBusy, setIsBusy] = useState(false)
  // Their search is expensive: changes of other notes do not repeat it.
  const { reload, value } = useReading(
    () => store.client.listNoteLinks({ id: note.id, direction: "unlinked" }),
    [note.id, note.title]
  )
  const mentions = value?.data ?? []
  if (mentions.length === 0) return null
  const link = async (chosen: ReadonlyArray<Link>) => {
    setIsBusy(true)
    await linkMentions(store, note, chosen)
    await reload()
    setIsBusy(false)
  }
  const canLink = store.canWrite.value
  return (
    <>
      <h2>{own.mentions}</h2>
      <ul class="linked">
        {mentions.map((mention) => (
          <li key={mention.id} class="mention">
            <a href={addressOf(route.value.filter, mention.note_id)} dir="auto">
              <strong>{mention.note_title}</strong>{" "}
              <span class="hint">{store.pathOf(mention.notebook_id).join(" / ")}</span>
              <Words link={mention} />
            </a>
            {canLink && (
              <Button
                isDisabled={isBusy}
                label={`${own.link}: ${mention.note_title}`}
                onClick={() => void link([mention])}
              >
                {own.link}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {canLink && mentions.length > 1 && (
        <Button isDisabled={isBusy} onClick={() => void link(mentions)}>
          {own.linkAll}
        </Button>
      )}
    </>
  )
}

/** The links of other notes to a note, mentions of it, and its own links without a note. */
export const Backlinks = ({ draft, id, store }: BacklinksProps) => {
  const own = linkTexts.backlinks
  // The notebooks are read again after each change of the workspace, and so are the links.
  const inputs = [id, store.notebooks.value]
  const { client } = store
  const { failure, hasMore, isBusy, more, pages } = usePages(
    (page) => client.listNoteLinks({ id, direction: "in", ...page }),
    inputs
  )
  const broken = useReading(() => client.listNoteLinks({ id, direction: "broken", limit: mostBroken }), inputs)
  if (pages === undefined) {
    return (
      <p class="hint" role="status">
        {failure === undefined ? "…" : isAway(failure) ? own.offline : messageOf(failure)}
      </p>
    )
  }
  const links = pages.flat()
  const sources = [...Map.groupBy(links, ({ note_id }) => note_id).values()]
  const count = own.count(links.length, sources.length)
  return (
    <>
      <p class="hint" role="status">
        {links.length === 0 ? own.none : hasMore ? own.atLeast(count) : count}
      </p>
      <ul class="linked">
        {sources.map((links) => (
          <Source key={links[0]!.note_id} links={links} store={store} />
        ))}
      </ul>
      {hasMore && <Button onClick={() => void (isBusy || more())}>{own.more}</Button>}
      {draft.note.value !== undefined && <Mentions key={id} note={draft.note.value} store={store} />}
      {(broken.value?.data.length ?? 0) > 0 && <Broken links={broken.value!.data} draft={draft} store={store} />}
    </>
  )
}
