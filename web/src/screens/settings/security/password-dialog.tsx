import type { UseMutationResult } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { problemsOf } from '../../../api/problems.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { PasswordInput } from '../../../components/password-input.tsx'

type Props = {
  title: string
  text: string
  action: string
  danger?: boolean
  /** What is done with the password. */
  sending: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error' | 'reset'>
  onClose(): void
}

/** Asks for the password before something that protects the account is changed. */
export function PasswordDialog({ title, text, action, danger = false, sending, onClose }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    sending.mutate(String(new FormData(event.currentTarget).get('password')))
  }
  const close = () => {
    sending.reset()
    onClose()
  }
  const problems = problemsOf(sending.error, ['password'])
  return (
    <Dialog open onOpenChange={close} title={title} description={text}>
      <form onSubmit={submit} className="grid gap-4">
        <FormField label="Your password" errors={problems.at('password')}>
          <PasswordInput name="password" autoComplete="current-password" required />
        </FormField>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={sending.isPending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
