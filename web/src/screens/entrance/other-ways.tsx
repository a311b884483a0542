import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint, LogIn } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { signInAtProvider } from '../../api/factors.ts'
import { hasPasskeys, signInWithPasskey, suggestsPasskeys } from '../../api/passkeys.ts'
import { startQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { ownPath } from './use-enter.ts'

type Props = { next: string | undefined; onDone(): Promise<void> }

/** Ways to sign in other than a password. */
export function OtherWays({ next, onDone }: Props) {
  const { data: start } = useQuery(startQuery)
  const suggesting = useSuggestedPasskey(onDone)
  const passkey = useMutation({
    mutationFn: () => {
      // A browser works on one request for a passkey at a time.
      suggesting.current?.abort()
      return signInWithPasskey()
    },
    onSuccess: onDone,
  })
  const leaving = useMutation({
    mutationFn: () => signInAtProvider(ownPath(next)),
    onSuccess: ({ url }) => window.location.assign(url),
  })
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
