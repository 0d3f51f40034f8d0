import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { onDemand } from "../ui/lazily.tsx"
import { maxTags, type Place } from "../workspace/Place.ts"
import { followTag } from "./followTag.ts"
import { TagDialog, type TagQuestion } from "./TagDialog.tsx"
import { TagRow } from "./TagRow.tsx"

const AllTagsDialog = onDemand((all) => all.AllTagsDialog)

/** The tags of most notes. A dialog has all. */
export const TagList = ({ place }: { readonly place: Place }) => {
  const [question, setQuestion] = useState<TagQuestion>()
  const [isAll, setIsAll] = useState(false)
  useEffect(
    () =>
      place.subscribe((changes) => {
        for (const { data, id, op, type } of changes) {
          if (type !== "tag" || op !== "upsert") continue
          const before = place.tags.value.find((tag) => tag.id === id)
          if (before !== undefined) followTag(before.name, (data as Schemas["SyncedTag"]).name)
        }
      }),
    [place]
  )
  const tags = place.tags.value
  return (
    <>
      <div class="section">
        <h2>{texts.tags}</h2>
        {tags.length > 0 && <IconButton icon="search" label={texts.allTags.title} onClick={() => setIsAll(true)} />}
      </div>
      <ul class="labels tag-list">
        {tags.map((tag) => (
          <TagRow key={tag.id} place={place} tag={tag} onAsk={setQuestion} />
        ))}
      </ul>
      {tags.length >= maxTags && (
        <p class="limit">
          <span class="hint">{texts.allTags.limited(maxTags)}</span>
          <Button onClick={() => setIsAll(true)}>{texts.allTags.title}</Button>
        </p>
      )}
      {question !== undefined && <TagDialog place={place} question={question} onClose={() => setQuestion(undefined)} />}
      {isAll && <AllTagsDialog place={place} onClose={() => setIsAll(false)} />}
    </>
  )
}
