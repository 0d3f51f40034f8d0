import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { onDemand } from "../ui/lazily.tsx"
import { maxTags, type WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { followTag } from "./followTag.ts"
import type { TagQuestion } from "./TagDialog.tsx"
import { TagRow } from "./TagRow.tsx"

const TagDialog = onDemand((all) => all.TagDialog)
const AllTagsDialog = onDemand((all) => all.AllTagsDialog)

/** The tags of most notes. A dialog has all. */
export const TagList = ({ store }: { readonly store: WorkspaceStore }) => {
  const [question, setQuestion] = useState<TagQuestion>()
  const [isAll, setIsAll] = useState(false)
  useEffect(
    () =>
      store.subscribe((changes) => {
        for (const { data, id, op, type } of changes) {
          if (type !== "tag" || op !== "upsert") continue
          const before = store.tags.value.find((tag) => tag.id === id)
          if (before !== undefined) followTag(before.name, (data as Schemas["SyncedTag"]).name)
        }
      }),
    [store]
  )
  const tags = store.tags.value
  return (
    <>
      <div class="section">
        <h2>{texts.tags}</h2>
        {tags.length > 0 && <IconButton icon="search" label={texts.allTags.title} onClick={() => setIsAll(true)} />}
      </div>
      <ul class="labels tag-list">
        {tags.map((tag) => (
          <TagRow key={tag.id} store={store} tag={tag} onAsk={setQuestion} />
        ))}
      </ul>
      {tags.length >= maxTags && (
        <p class="limit">
          <span class="hint">{texts.allTags.limited(maxTags)}</span>
          <Button onClick={() => setIsAll(true)}>{texts.allTags.title}</Button>
        </p>
      )}
      {question !== undefined && <TagDialog store={store} question={question} onClose={() => setQuestion(undefined)} />}
      {isAll && <AllTagsDialog store={store} onClose={() => setIsAll(false)} />}
    </>
  )
}
