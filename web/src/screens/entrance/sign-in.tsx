import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { Fingerprint, LogIn } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import {
  hasPasskeys,
  sendCode,
  signIn,
  signInAtProvider,
  signInWithPasskey,
  suggestsPasskeys,
} from '../../api/factors.ts'
import { startQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox, Input, PasswordInput } from '../../components/controls.tsx'
import { Form, FormField, FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'
import { providerProblem } from './provider-problem.ts'

const route = getRouteApi('/sign-in')

export function SignIn() {
  const { next, email, problem } = route.useSearch()
  const enter = useEnter(next)
  const [asked, setAsked] = useState(false)
  const entry = useSave(signIn, { next: ({ needs_code }) => (needs_code ? setAsked(true) : enter()) })
  if (asked) return <CodeStep onDone={enter} onBack={() => setAsked(false)} />
  return (
    <Entrance title="Sign in to Kith" below={<EntranceLink to="/forgot-password">Forgot your password?</EntranceLink>}>
      <Form
        saving={entry}
        onSubmit={(typed) => entry.mutate({ email: typed('email'), password: typed('password') })}
        action="Sign in"
        busy="Signing in…"
        wide
      >
        <FormField label="Email">
          <Input
            name="email"
            type="email"
            autoComplete="username webauthn"
            required
            defaultValue={email}
            autoFocus={!email}
          />
        </FormField>
        <FormField label="Password">
          <PasswordInput name="password" autoComplete="current-password" required autoFocus={email !== undefined} />
        </FormField>
        <FormProblem text={entry.isIdle ? providerProblem(problem) : undefined} />
      </Form>
      <OtherWays next={next} onDone={enter} />
    </Entrance>
  )
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
function CodeStep({ onDone, onBack }: { onDone(): Promise<void>; onBack(): void }) {
  const [recovering, setRecovering] = useState(false)
  const [trusted, setTrusted] = useState(false)
  const trustId = useId()
  const sending = useSave(sendCode, { next: onDone })
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
      <Form
        key={String(recovering)}
        saving={sending}
        onSubmit={(typed) => sending.mutate({ code: typed('code'), trust_device: trusted })}
        action="Sign in"
        busy="Signing in…"
        wide
        extra={
          <Button look="quiet" onClick={other}>
            {recovering ? 'Use the authenticator app' : 'Use a recovery code'}
          </Button>
        }
      >
        <FormField label={recovering ? 'Recovery code' : 'Code'} name="code">
          <Input
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
      </Form>
    </Entrance>
  )
}

/** Ways to sign in other than a password. */
function OtherWays({ next, onDone }: { next: string | undefined; onDone(): Promise<void> }) {
  const { data: start } = useQuery(startQuery)
  const suggesting = useSuggestedPasskey(onDone)
  const passkey = useSave(
    () => {
      // A browser works on one request for a passkey at a time.
      suggesting.current?.abort()
      return signInWithPasskey()
    },
    { next: onDone },
  )
  const leaving = useSave(() => signInAtProvider(ownPath(next)), { next: ({ url }) => window.location.assign(url) })
  const busy = passkey.isPending || leaving.isPending || leaving.isSuccess
  const provider = start?.provider ?? null
  if (!hasPasskeys() && provider === null) return null
  return (
    <div className="mt-5 grid gap-3">
      <div className="flex items-center gap-3 text-xs text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </div>
      {provider !== null && (
        <Button disabled={busy} onClick={() => leaving.mutate()}>
          <LogIn aria-hidden />
          <span className="truncate">Continue with {provider}</span>
        </Button>
      )}
      {hasPasskeys() && (
        <Button disabled={busy} onClick={() => passkey.mutate()}>
          <Fingerprint aria-hidden />
          {passkey.isPending ? 'Waiting for your passkey…' : 'Use a passkey'}
        </Button>
      )}
      <FormProblem text={(passkey.error ?? leaving.error)?.message} />
    </div>
  )
}

/**
 * The browser offers passkeys among its suggestions for the email address. A failure is not
 * shown, because the user did not ask for it.
 */
function useSuggestedPasskey(onDone: () => Promise<void>) {
  const asking = useRef<AbortController>(undefined)
  const done = useRef(onDone)
  done.current = onDone
  useEffect(() => {
    const controller = new AbortController()
    asking.current = controller
    const ask = async () => {
      if (!(await suggestsPasskeys()) || controller.signal.aborted) return
      await signInWithPasskey({ mediation: 'conditional', signal: controller.signal })
      await done.current()
    }
    ask().catch(() => undefined)
    return () => controller.abort()
  }, [])
  return asking
}

/** Opens the requested page after sign-in. */
function useEnter(next: string | undefined): () => Promise<void> {
  const router = useRouter()
  const queries = useQueryClient()
  return async () => {
    queries.clear()
    const target = ownPath(next)
    // A signed query must not change, and the router rewrites addresses.
    if (target.startsWith('/oauth/')) window.location.assign(target)
    else await router.navigate({ href: target })
  }
}

/** Only pages of this application. */
function ownPath(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : '/'
}
