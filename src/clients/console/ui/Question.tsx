import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { ProblemCode } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failure } from "./Failure.tsx"
import { Form } from "./Form.tsx"
import { keepFocus } from "./focusHeading.ts"
import { useAction } from "./useAction.ts"

interface QuestionProps {
  readonly title: string
  readonly lead: string
  /** The label of the button. */
  readonly action: string
  readonly messages?: Partial<Record<ProblemCode, string>>
  /** Fields that the action needs. */
  readonly children?: ComponentChildren
  /** Whether the fields allow the action. */
  readonly isReady?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something is done that cannot be undone. A failure is shown in the dialog, which stays open then. */
export const Question = ({
  action,
  children,
  isReady = true,
  lead,
  messages,
  onClose,
  onConfirm,
  title
}: QuestionProps) => {
  const { failure, run } = useAction()
  // The browser gives the focus back to the button, unless that is not on the page any more.
  useEffect(() => keepFocus, [])
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => run(async () => (await onConfirm(), onClose()))}>
        <p>{lead}</p>
        <Failure failure={failure} messages={messages} />
        {children}
        <footer class="actions">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button kind="danger" type="submit" isDisabled={!isReady}>
            {action}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
