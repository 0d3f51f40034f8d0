import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { NoteConflict } from "../drafts/NoteConflict.ts"
import type { NoteContent, Sides } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { TextDiff } from "./TextDiff.tsx"

const textOf = ({ body, title }: NoteContent): string => `${title}\n\n${body}`

/** Both texts and their common base, side by side. */
const Comparison = ({ base, ...changed }: Sides) => (
  <div class="sides">
    <section aria-label={texts.conflict.base}>
      <h3>{texts.conflict.base}</h3>
      <pre class="diff" tabIndex={0}>
        {textOf(base)}
      </pre>
    </section>
    {(["theirs", "yours"] as const).map((side) => (
      <section key={side} aria-label={texts.conflict[side]}>
        <h3>{texts.conflict[side]}</h3>
        <TextDiff from={textOf(base)} to={textOf(changed[side])} />
      </section>
    ))}
  </div>
)

interface MergeDialogProps {
  readonly sides: Sides
  readonly onClose: () => void
}

/** The texts of a merge that needed no decision. */
export const MergeDialog = ({ onClose, sides }: MergeDialogProps) => (
  <Dialog title={texts.saving.merged} isWide onClose={onClose}>
    <p>{texts.conflict.mergedLead}</p>
    <Comparison base={sides.base} theirs={sides.theirs} yours={sides.yours} />
  </Dialog>
)

interface ConflictDialogProps {
  readonly conflict: NoteConflict
  readonly draft: NoteDraft
  readonly onClose: () => void
}

/** Both texts, and the result, which can be edited. It closes when the server has stored the result. */
export const ConflictDialog = ({ conflict, draft, onClose }: ConflictDialogProps) => {
  const { failure, isBusy, run } = useAction()
  const resolve = (content: NoteContent) => run(() => draft.resolve(content))
  const { base, result, theirs, yours } = conflict
  return (
    <Dialog title={texts.conflict.title} isWide isModalOnly onClose={onClose}>
      <p>{texts.conflict.lead}</p>
      <Comparison base={base} theirs={theirs} yours={yours} />
      <Field
        label={texts.conflict.resultTitle}
        maxLength={200}
        readOnly={isBusy}
        value={result.title}
        onValue={(title) => draft.edit({ ...result, title })}
      />
      <label class="field">
        {texts.conflict.result}
        <textarea
          rows={10}
          readOnly={isBusy}
          value={result.body}
          onInput={({ currentTarget }) => draft.edit({ ...result, body: currentTarget.value })}
        />
      </label>
      <Failure failure={failure} />
      <footer class="actions">
        <Button isDisabled={isBusy} onClick={() => void resolve(theirs)}>
          {texts.conflict.useTheirs}
        </Button>
        <Button isDisabled={isBusy} onClick={() => void resolve(yours)}>
          {texts.conflict.useYours}
        </Button>
        <Button kind="main" isDisabled={isBusy} onClick={() => void resolve(result)}>
          {texts.conflict.useMerged}
        </Button>
      </footer>
    </Dialog>
  )
}
