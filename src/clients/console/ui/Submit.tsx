import { Button } from "./Button.tsx"

interface SubmitProps {
  readonly label: string
  readonly isDisabled?: boolean
}

/** The row with the button that submits a form of a page. */
export const Submit = ({ label, isDisabled = false }: SubmitProps) => (
  <p class="actions">
    <Button kind="main" type="submit" isDisabled={isDisabled}>
      {label}
    </Button>
  </p>
)
