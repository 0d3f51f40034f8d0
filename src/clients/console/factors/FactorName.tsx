import { useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { texts as main } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { NameField } from "../ui/NameField.tsx"
import { useAction } from "../ui/useAction.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./FactorMessages.ts"

interface FactorNameProps {
  readonly client: SheafClient
  readonly factor: Schemas["Factor"]
  readonly onSaved: () => Promise<unknown>
  readonly onClose: () => void
}

/** Renames a factor. */
export const FactorName = ({ client, factor, onClose, onSaved }: FactorNameProps) => {
  const [name, setName] = useState(factor.name)
  const { failure, run } = useAction()
  const save = async () => {
    await client.updateFactor({ id: factor.id, name })
    await onSaved()
    onClose()
  }
  return (
    <Dialog title={texts.renameOf(factor.name)} onClose={onClose}>
      <Form onSubmit={() => run(save)}>
        <Failure failure={failure} fields={["name"]} />
        <NameField label={words.name} failure={failure} autofocus required value={name} onValue={setName} />
        <footer class="actions">
          <Button onClick={onClose}>{main.cancel}</Button>
          <Button kind="main" type="submit">
            {main.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
