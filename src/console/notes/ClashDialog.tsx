import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { NoteClash } from "../drafts/NoteClash.ts"
import type { NoteContent } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { TextDiff } from "./TextDiff.tsx"

const textOf = ({ body, title }: NoteContent): string => `${title}\n\n${body}`

/** Both texts and their common base, side by side, and the result, which can be edited. */
export const ClashDialog = ({ clash, draft }: { readonly clash: NoteClash; readonly draft: NoteDraft }) => {
  const { failure, isBusy, run } = useAction()
  const resolve = (content: NoteContent) => run(() => draft.resolve(content))
  const { result } = clash
  const base = textOf(clash.base)
  return (
    <Dialog title={texts.clash.title} isWide isModalOnly onClose={() => undefined}>
      <p>{texts.clash.lead}</p>
      <div class="sides">
        <section aria-label={texts.clash.base}>
          <h3>{texts.clash.base}</h3>
          <pre class="diff" tabIndex={0}>
            {base}
          </pre>
        </section>
        {(["theirs", "mine"] as const).map((side) => (
          <section key={side} aria-label={texts.clash[side]}>
            <h3>{texts.clash[side]}</h3>
            <TextDiff from={base} to={textOf(clash[side])} />
          </section>
        ))}
      </div>
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
        <Button isDisabled={isBusy} onClick={() => void resolve(clash.theirs)}>
          {texts.clash.useTheirs}
        </Button>
        <Button isDisabled={isBusy} onClick={() => void resolve(clash.mine)}>
          {texts.clash.useMine}
        </Button>
        <Button kind="main" isDisabled={isBusy} onClick={() => void resolve(result)}>
          {texts.clash.useMerged}
        </Button>
      </footer>
    </Dialog>
  )
}
