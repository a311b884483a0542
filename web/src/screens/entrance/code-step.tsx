import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { sendCode } from '../../api/factors.ts'
import { problemsOf } from '../../api/problems.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormField } from '../../components/form-field.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Input } from '../../components/input.tsx'
import { Entrance } from './entrance.tsx'

type Props = { onDone(): Promise<void>; onBack(): void }

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export function CodeStep({ onDone, onBack }: Props) {
  const [recovering, setRecovering] = useState(false)
  const [trusted, setTrusted] = useState(false)
  const trustId = useId()
  const sending = useMutation({ mutationFn: sendCode, onSuccess: onDone })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    sending.mutate({ code, trust_device: trusted })
  }
  const problems = problemsOf(sending.error, ['code'])
  const other = () => {
    sending.reset()
    setRecovering(!recovering)
  }
  return (
    <Entrance
      title={recovering ? 'Enter a recovery code' : 'Enter the code'}
      text={
        recovering
          ? 'One of the codes you saved when you set up your authenticator app. Each works once.'
          : 'The six digits that your authenticator app shows for Kith.'
      }
      below={
        <button type="button" onClick={onBack} className="underline-offset-2 hover:text-ink hover:underline">
          Back to sign in
        </button>
      }
    >
      <form key={String(recovering)} onSubmit={submit} className="grid gap-4">
        <FormField label={recovering ? 'Recovery code' : 'Code'} errors={problems.at('code')}>
          <Input
            name="code"
            required
            autoFocus
            spellCheck={false}
            autoComplete="one-time-code"
            inputMode={recovering ? 'text' : 'numeric'}
            maxLength={20}
            className="font-mono"
          />
        </FormField>
        <div className="flex items-center gap-2">
          <Checkbox id={trustId} checked={trusted} onCheckedChange={(on) => setTrusted(on === true)} />
          <label htmlFor={trustId} className="text-sm text-quiet">
            Trust this browser for 30 days
          </label>
        </div>
        <FormProblem text={problems.general} />
        <Button type="submit" look="primary" disabled={sending.isPending}>
          {sending.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <Button look="quiet" onClick={other}>
          {recovering ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
      </form>
    </Entrance>
  )
}
