import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeEmail } from '../../../api/account.ts'
import { factorsQuery } from '../../../api/factors.ts'
import { problemsOf } from '../../../api/problems.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { PasswordInput } from '../../../components/password-input.tsx'

/** Asks for another address. The account changes when the link in the mail to that address is opened. */
export function ChangeEmail() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Change the email address
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Change the email address"
        description="We send a link to the new address. Your account keeps the old one until you open it."
      >
        {open && <ChangeForm onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function ChangeForm({ onClose }: { onClose(): void }) {
  const { data: factors } = useQuery(factorsQuery)
  const asking = useMutation({ mutationFn: changeEmail })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const sent = new FormData(event.currentTarget)
    const password = sent.get('password')
    asking.mutate({ email: String(sent.get('email')), ...(password !== null && { password: String(password) }) })
  }
  if (asking.isSuccess) {
    return (
      <>
        <p role="status" className="text-sm">
          We sent a link to <span className="font-medium wrap-anywhere">{asking.variables.email}</span>. Open it in this
          browser. You stay signed in.
        </p>
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </>
    )
  }
  const problems = problemsOf(asking.error, ['email', 'password'])
  return (
    <form onSubmit={submit} className="grid gap-4">
      <FormField label="New email address" errors={problems.at('email')}>
        <Input name="email" type="email" autoComplete="email" required maxLength={255} />
      </FormField>
      {factors?.has_password !== false && (
        <FormField label="Your password" errors={problems.at('password')}>
          <PasswordInput name="password" autoComplete="current-password" required />
        </FormField>
      )}
      <FormProblem text={problems.general} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={asking.isPending}>
          Send the link
        </Button>
      </DialogActions>
    </form>
  )
}
