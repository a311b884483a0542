import type { ForbiddenReason } from '@kith/contract/refusal'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { Fingerprint, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { factorsQuery, hasPasskeys, signInWithPasskey } from '../../api/factors.ts'
import { sessionQuery, signOut } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { AuthenticatorSetUp } from '../settings/security/authenticator-set-up.tsx'
import { AddPasskey } from '../settings/security/passkeys.tsx'
import { Entrance } from './entrance.tsx'

const titles: Readonly<Record<ForbiddenReason, string>> = {
  second_factor_missing: 'Set up a second factor',
  second_factor_unused: 'Use your second factor',
  sign_in_again: 'Sign in again',
}

/** Replaces a workspace that this session cannot open. Says what is missing and links to it. */
export function HeldBack({ reason, message }: { reason: ForbiddenReason; message: string }) {
  const { workspace: slug } = useParams({ strict: false })
  const { data: session } = useQuery(sessionQuery)
  const router = useRouter()
  const queries = useQueryClient()
  const open = async () => {
    queries.clear()
    await router.invalidate()
  }
  const again = useSave(signOut, {
    next: async () => {
      const next = window.location.pathname + window.location.search
      queries.clear()
      await router.navigate({ to: '/sign-in', search: { next } })
    },
  })
  const others = session?.workspaces.filter((one) => one.slug !== slug) ?? []
  return (
    <Entrance
      title={titles[reason]}
      text={message}
      below={
        others.length > 0 && (
          <span>
            Other workspaces:{' '}
            {others.slice(0, 5).map((one, place) => (
              <span key={one.id}>
                {place > 0 && ', '}
                <a href={`/${one.slug}`} className="underline underline-offset-2 hover:text-ink">
                  {one.name}
                </a>
              </span>
            ))}
          </span>
        )
      }
    >
      <div className="grid gap-3">
        {reason === 'second_factor_missing' && <SetUp onDone={open} />}
        {reason === 'second_factor_unused' && <UsePasskey onDone={open} />}
        <Button
          look={reason === 'sign_in_again' ? 'primary' : 'quiet'}
          disabled={again.isPending}
          onClick={() => again.mutate()}
        >
          {reason === 'second_factor_missing' ? 'Sign out' : 'Sign in again'}
        </Button>
        <FormProblem text={again.error?.message} />
      </div>
    </Entrance>
  )
}

function SetUp({ onDone }: { onDone(): Promise<void> }) {
  const { data: factors } = useQuery(factorsQuery)
  const [way, setWay] = useState<'passkey' | 'app'>()
  return (
    <>
      {hasPasskeys() && (
        <Button look="primary" onClick={() => setWay('passkey')}>
          <Fingerprint aria-hidden />
          Add a passkey
        </Button>
      )}
      {factors?.has_password !== false && (
        <Button onClick={() => setWay('app')}>
          <Smartphone aria-hidden />
          Use an authenticator app
        </Button>
      )}
      {way === 'passkey' && <AddPasskey onClose={() => setWay(undefined)} onAdded={onDone} />}
      {way === 'app' && <AuthenticatorSetUp onClose={() => setWay(undefined)} onDone={onDone} />}
    </>
  )
}

function UsePasskey({ onDone }: { onDone(): Promise<void> }) {
  const using = useSave(() => signInWithPasskey(), { next: onDone })
  if (!hasPasskeys()) return null
  return (
    <>
      <Button look="primary" disabled={using.isPending} onClick={() => using.mutate()}>
        <Fingerprint aria-hidden />
        {using.isPending ? 'Waiting for your passkey…' : 'Use your passkey'}
      </Button>
      <FormProblem text={using.error?.message} />
    </>
  )
}
