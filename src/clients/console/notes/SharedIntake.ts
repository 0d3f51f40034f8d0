import { isProblem, type SheafClient } from "../../client/SheafClient.ts"
import { failureOf, isRefusal } from "../drafts/SaveFailure.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { cleaned } from "../editor/CleanedText.ts"
import { texts } from "../Messages.ts"
import { attachingTexts } from "./AttachingMessages.ts"
import { notify } from "../ui/Notices.tsx"
import { attachmentLink, uploadedLink } from "./AttachmentLink.ts"
import { pushNote } from "./PushedNote.ts"
import { keepShared, removeShared, type SharedContent, withShared } from "./SharedContent.ts"

/** The title of a note from shared content: the first line of what it has. */
export const titleOfShared = ({ files, text, title, url }: SharedContent): string => {
  const lines = [title, text, url, files[0]?.name ?? ""].map(
    (part) =>
      cleaned(part)
        .trim()
        .split(/[\r\n]/, 1)[0]!
  )
  const line = lines.find((each) => each !== "") ?? texts.untitled
  const characters = [...line.replaceAll(/\p{Cc}/gu, " ")]
  return characters.slice(0, 200).join("").trim()
}

/** The text of a note from shared content, without its files. */
export const bodyOfShared = ({ text, url }: SharedContent): string =>
  [text, url]
    .map(cleaned)
    .filter((part) => part !== "")
    .join("\n\n")

/** Creates the note, or restores it if it was deleted before it was complete. */
const create = async (client: SheafClient, id: string, notebook_id: string, shared: SharedContent): Promise<void> => {
  const data = { notebook_id, title: titleOfShared(shared), body: bodyOfShared(shared) }
  const { conflict } = await pushNote(client, id, data)
  if (conflict?.reason === "deleted_on_server") await pushNote(client, id, data, conflict.revision ?? 0)
}

/** The link of a file that an earlier attempt has uploaded, whose response was lost. */
const lostLink = async (client: SheafClient, id: string, file: File, links: ReadonlyArray<string>) => {
  const filter = `note_id = ${id} AND status = "ready"`
  for await (const uploaded of client.listAttachments({ filter, limit: 100 })) {
    const link = attachmentLink(uploaded.id, file)
    if (uploaded.filename === file.name && uploaded.size === file.size && !links.includes(link)) return link
  }
  return undefined
}

/** Uploads a file. The link is empty if the file is larger than the plan allows. */
const linkOf = async (client: SheafClient, id: string, file: File, links: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await lostLink(client, id, file, links)) ?? (await uploadedLink(client, id, file))
  } catch (error) {
    if (!isProblem(error, "payload_too_large")) throw error
    notify(attachingTexts.tooLarge(file.name))
    return ""
  }
}

/** Adds links to a note, but for those that it has. */
const addLinks = async (client: SheafClient, id: string, links: ReadonlyArray<string>): Promise<void> => {
  const { body, version } = await client.getNote({ id })
  const missing = links.filter((link) => !body.includes(link))
  if (missing.length === 0) return
  try {
    await client.updateNote({ id, version, body: [body, ...missing].join("\n\n").trim() })
  } catch (error) {
    if (!isProblem(error, "precondition_failed")) throw error
    // The note was changed meanwhile.
    await addLinks(client, id, links)
  }
}

/** The content with a choice: the one that it has, as long as the server has not refused it. */
const chosen = (shared: SharedContent, { account }: WorkspaceStore, notebook_id: string): SharedContent => {
  const { choice, links } = shared
  if (choice !== undefined && choice.isRefused !== true) return shared
  const { id, workspace } = account
  const made = choice?.workspace === workspace ? links : []
  return { ...shared, account: id, choice: { workspace, notebook_id }, links: made }
}

/**
 * Makes a note of shared content, in the notebook that the user has chosen, and returns its id; undefined if another tab has
 * made it, or the user has discarded the content. Each step is remembered: a repetition continues where an earlier attempt has
 * ended, on a later page too, and makes no second note. Rejects if the server refuses the note or cannot be reached: the
 * content is kept, after a refusal without the choice.
 */
export const takeShared = (store: WorkspaceStore, key: string, notebook_id: string): Promise<string | undefined> =>
  withShared(key, async (found) => {
    if (found === undefined || (found.account ?? store.account.id) !== store.account.id) return undefined
    let shared = chosen(found, store, notebook_id)
    const keep = (change: Partial<SharedContent>) => keepShared((shared = { ...shared, ...change }))
    const choice = shared.choice!
    const client = store.partsOf(choice.workspace)?.client
    // The user cannot open the workspace any more.
    if (client === undefined) {
      await keep({ choice: { ...choice, isRefused: true } })
      return undefined
    }
    await keep({})
    // Ids have at most 40 characters behind their prefix.
    const id = `nt_${key.slice(0, 40)}`
    try {
      if (shared.links.length === 0) await create(client, id, choice.notebook_id, shared)
      for (const file of shared.files.slice(shared.links.length)) {
        await keep({ links: [...shared.links, await linkOf(client, id, file, shared.links)] })
      }
      if (shared.links.length > 0) await addLinks(client, id, shared.links)
    } catch (error) {
      const failure = failureOf(error)
      // Without the note, it is created again with all of its files.
      const gone = failure.kind === "gone" ? { links: [] } : {}
      if (isRefusal(failure)) await keep({ ...gone, choice: { ...choice, isRefused: true } })
      throw error
    }
    await removeShared(key)
    return id
  })
