import { texts as ofNotes } from "./NoteMessages.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { NoteConflict } from "../drafts/NoteConflict.ts"
import type { NoteContent, Sides } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { TextDiff } from "../comparing/TextDiff.tsx"

const textOf = ({ body, title }: NoteContent): string => `${title}\n\n${body}`

/** Both texts and their common base, side by side. */
const Comparison = (sides: Sides) => (
  <div class="sides">
    {(["base", "theirs", "yours"] as const).map((side) => (
      <section key={side} aria-label={ofNotes.conflict[side]}>
        <h3>{ofNotes.conflict[side]}</h3>
        {side === "base" ? (
          <pre class="diff" tabIndex={0}>
            {textOf(sides.base)}
          </pre>
        ) : (
          <TextDiff from={textOf(sides.base)} to={textOf(sides[side])} />
        )}
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
    <p>{ofNotes.conflict.mergedLead}</p>
    <Comparison {...sides} />
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
  const { result } = conflict
  const choice = (label: string, content: NoteContent, kind?: "main") => (
    <Button kind={kind} isDisabled={isBusy} onClick={() => void run(() => draft.resolve(content))}>
      {label}
    </Button>
  )
  return (
    <Dialog title={ofNotes.conflict.title} isWide isModalOnly onClose={onClose}>
      <p>{ofNotes.conflict.lead}</p>
      <Comparison {...conflict} />
      <Field
        label={ofNotes.conflict.resultTitle}
        maxLength={200}
        readOnly={isBusy}
        value={result.title}
        onValue={(title) => draft.edit({ ...result, title })}
      />
      <label class="field">
        {ofNotes.conflict.result}
        <textarea
          rows={10}
          readOnly={isBusy}
          value={result.body}
          onInput={({ currentTarget }) => draft.edit({ ...result, body: currentTarget.value })}
        />
      </label>
      <Failure failure={failure} />
      <footer class="actions">
        {choice(ofNotes.conflict.useTheirs, conflict.theirs)}
        {choice(ofNotes.conflict.useYours, conflict.yours)}
        {choice(ofNotes.conflict.useMerged, result, "main")}
      </footer>
    </Dialog>
  )
}
