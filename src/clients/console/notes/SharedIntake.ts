import { isProblem } from "../../client/SheafClient.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { cleaned } from "../editor/CleanedText.ts"
import { texts } from "../Messages.ts"
import { attachingTexts } from "./AttachingMessages.ts"
import { notify } from "../ui/Notices.tsx"
import { uploadedLink } from "./AttachmentLink.ts"
import { keepShared, removeShared, type SharedContent } from "./SharedContent.ts"

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

/**
 * Makes a note of shared content in a notebook, and returns its id. The files that were uploaded are remembered, so that a
 * repetition continues where an earlier attempt has ended. Rejects if the server refuses the note or cannot be reached: the
 * content is kept.
 */
export const takeShared = async (
  store: WorkspaceStore,
  shared: SharedContent,
  notebook_id: string
): Promise<string> => {
  const { client } = store
  const { id } = await client.createNote(
    { notebook_id, title: titleOfShared(shared), body: bodyOfShared(shared) },
    { idempotencyKey: `${shared.key}-${notebook_id}` }
  )
  let { links } = shared
  for (const file of shared.files.slice(links.length)) {
    let link = ""
    try {
      link = await uploadedLink(client, id, file)
    } catch (error) {
      if (!isProblem(error, "payload_too_large")) throw error
      notify(attachingTexts.tooLarge(file.name))
    }
    links = [...links, link]
    await keepShared({ ...shared, links })
  }
  if (links.length > 0) {
    const { body, version } = await client.getNote({ id })
    const missing = links.filter((link) => !body.includes(link))
    if (missing.length > 0) {
      await client.updateNote({ id, version, body: [body, ...missing].join("\n\n").trim() })
    }
  }
  await removeShared(shared.key)
  return id
}
