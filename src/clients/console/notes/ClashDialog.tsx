import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { NoteClash } from "../drafts/NoteClash.ts"
import type { NoteContent, Sides } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { TextDiff } from "./TextDiff.tsx"

const textOf = ({ body, title }: NoteContent): string => `${title}\n\n${body}`

/** Both texts and their common base, side by side. */
const Comparison = ({ base, ...changed }: Sides) => (
  <div class="sides">
    <section aria-label={texts.clash.base}>
      <h3>{texts.clash.base}</h3>
      <pre class="diff" tabIndex={0}>
        {textOf(base)}
      </pre>
    </section>
    {(["theirs", "mine"] as const).map((side) => (
      <section key={side} aria-label={texts.clash[side]}>
        <h3>{texts.clash[side]}</h3>
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
    <p>{texts.clash.mergedLead}</p>
    <Comparison base={sides.base} theirs={sides.theirs} mine={sides.mine} />
  </Dialog>
)

interface ClashDialogProps {
  readonly clash: NoteClash
  readonly draft: NoteDraft
  readonly onClose: () => void
}

/** Both texts, and the result, which can be edited. It closes when the server has stored the result. */
export const ClashDialog = ({ clash, draft, onClose }: ClashDialogProps) => {
  const { failure, isBusy, run } = useAction()
  const resolve = (content: NoteContent) => run(() => draft.resolve(content))
  const { base, mine, result, theirs } = clash
  return (
    <Dialog title={texts.clash.title} isWide isModalOnly onClose={onClose}>
      <p>{texts.clash.lead}</p>
      <Comparison base={base} theirs={theirs} mine={mine} />
      <Field
        label={texts.clash.resultTitle}
        maxLength={200}
        readOnly={isBusy}
        value={result.title}
        onValue={(title) => draft.edit({ ...result, title })}
      />
      <label class="field">
        {texts.clash.result}
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
          {texts.clash.useTheirs}
        </Button>
        <Button isDisabled={isBusy} onClick={() => void resolve(mine)}>
          {texts.clash.useMine}
        </Button>
        <Button kind="main" isDisabled={isBusy} onClick={() => void resolve(result)}>
          {texts.clash.useMerged}
        </Button>
      </footer>
    </Dialog>
  )
}
