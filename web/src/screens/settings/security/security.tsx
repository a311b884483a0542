import type { FactorsAnswer } from '@kith/contract/app/factors'
import type { OpenSession } from '@kith/contract/app/session'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Laptop, Smartphone } from 'lucide-react'
import { Fragment, useState } from 'react'
import { changePassword, endOtherSessions, endSession, openSessionsQuery } from '../../../api/account.ts'
import {
  connectProvider,
  disconnectProvider,
  factorsQuery,
  newRecoveryCodes,
  switchOffTotp,
} from '../../../api/factors.ts'
import { sessionQuery } from '../../../api/session.ts'
import { Button } from '../../../components/button.tsx'
import { PasswordInput } from '../../../components/controls.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pill } from '../../../components/pill.tsx'
import { ErrorState } from '../../../components/states.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMoment } from '../../../format/moments.ts'
import { Form, FormField, FormProblem } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { NewPasswordField } from '../../entrance/new-account-fields.tsx'
import { providerProblem } from '../../entrance/provider-problem.ts'
import { Page, RowSkeletons, Rows, Section } from '../page.tsx'
import { AuthenticatorSetUp, PasswordDialog, RecoveryCodes } from './authenticator-set-up.tsx'
import { Passkeys } from './passkeys.tsx'
import { deviceOf, isHandheld } from './user-agent.ts'

export function Security() {
  const { problem } = useSearch({ strict: false })
  const { data: factors, error, refetch } = useQuery(factorsQuery)
  return (
    <Page title="Password and sign-in" text="How you sign in, and where you are signed in.">
      {problem !== undefined && (
        <div className="mb-6">
          <FormProblem text={providerProblem(problem)} />
        </div>
      )}
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!factors && !error && <RowSkeletons count={2} />}
      {factors && (
        <>
          <Passkeys factors={factors} />
          {factors.has_password && <Authenticator factors={factors} />}
          {factors.provider && <Provider provider={factors.provider} />}
        </>
      )}
      {factors?.has_password !== false && (
        <Section title="Change password" text="All your other sessions end when you change it.">
          <PasswordForm />
        </Section>
      )}
      <Sessions />
    </Page>
  )
}

/**
 * The provider of the installation: an account is connected to it on purpose, or because both know the address as
 * verified.
 */
function Provider({ provider: { name, connected } }: { provider: NonNullable<FactorsAnswer['provider']> }) {
  const connecting = useAction(() => connectProvider(window.location.pathname), {
    next: ({ url }) => window.location.assign(url),
  })
  const disconnecting = useAction(disconnectProvider, {
    message: `Disconnected from ${name}`,
    reload: [factorsQuery.queryKey],
  })
  return (
    <Section
      title={`Sign-in with ${name}`}
      text={
        connected
          ? 'Your account is connected.'
          : 'Connect your account to sign in there. The email address must be the same.'
      }
      extra={
        connected ? (
          <Button disabled={disconnecting.isPending} onClick={() => disconnecting.mutate()}>
            Disconnect
          </Button>
        ) : (
          <Button disabled={connecting.isPending || connecting.isSuccess} onClick={() => connecting.mutate()}>
            Connect
          </Button>
        )
      }
    />
  )
}

function PasswordForm() {
  // New fields are empty.
  const [changes, setChanges] = useState(0)
  const changing = useSave(changePassword, {
    reload: [openSessionsQuery.queryKey, sessionQuery.queryKey],
    next: () => setChanges(changes + 1),
    message: 'The password is changed. Other sessions have ended.',
  })
  return (
    <Form
      saving={changing}
      onSubmit={(typed) =>
        changing.mutate({ current_password: typed('current_password'), new_password: typed('new_password') })
      }
      action="Change password"
      className="grid max-w-90 gap-4"
    >
      <Fragment key={changes}>
        <FormField label="Current password" name="current_password">
          <PasswordInput autoComplete="current-password" required />
        </FormField>
        <NewPasswordField name="new_password" label="New password" />
      </Fragment>
    </Form>
  )
}

/** The sessions of the user, with buttons to end them. */
function Sessions() {
  const { data: sessions, error, refetch } = useQuery(openSessionsQuery)
  const reload = [openSessionsQuery.queryKey]
  const ending = useAction(endSession, { reload })
  const endingOthers = useAction(endOtherSessions, { message: 'All other sessions have ended.', reload })
  const others = sessions?.some(({ current }) => !current) ?? false
  return (
    <Section
      title="Sessions"
      text="The browsers in which you are signed in."
      extra={
        <Button disabled={!others || endingOthers.isPending} onClick={() => endingOthers.mutate()}>
          End all others
        </Button>
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!sessions && !error && <RowSkeletons count={2} />}
      {sessions && (
        <Rows label="Sessions">
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              busy={ending.isPending}
              onEnd={() => ending.mutate(session.id)}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function SessionRow({ session, busy, onEnd }: { session: OpenSession; busy: boolean; onEnd(): void }) {
  const { user_agent, ip_address, last_used_at, created_at, current } = session
  const Icon = isHandheld(user_agent) ? Smartphone : Laptop
  const device = deviceOf(user_agent)
  return (
    <li className="flex items-center gap-3 py-3">
      <Icon aria-hidden strokeWidth={1.5} className="size-5 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm font-medium">
          <span title={user_agent ?? undefined} className="truncate">
            {device}
          </span>
          {current && <Pill tint="green">This one</Pill>}
        </p>
        <p className="truncate text-xs text-faint" title={`Signed in ${formatMoment(created_at)}`}>
          {ip_address && `${ip_address} · `}
          <Moment at={last_used_at}>{current ? 'Active now' : `Last used ${formatAgo(last_used_at)}`}</Moment>
        </p>
      </div>
      {!current && (
        <Button size="small" disabled={busy} aria-label={`End the session ${device}`} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  )
}

/** Codes of an authenticator app, entered after the password. */
function Authenticator({ factors: { totp } }: { factors: FactorsAnswer }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<'set-up' | 'off' | 'codes'>()
  const close = () => setOpen(undefined)
  const refresh = async () => {
    // The session has got another cookie.
    await Promise.all(
      [factorsQuery, openSessionsQuery, sessionQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
    )
  }
  const switchingOff = useSave(switchOffTotp, {
    next: async () => {
      close()
      showToast({ message: 'Codes are off. You sign in with your password alone, or with a passkey.' })
      await refresh()
    },
  })
  const renewing = useSave(newRecoveryCodes, { next: close })
  return (
    <Section
      title="Authenticator app"
      text="After your password, you enter a code that an app on your phone shows."
      extra={
        totp ? (
          <Pill tint="green">On</Pill>
        ) : (
          <Button onClick={() => setOpen('set-up')}>
            <Smartphone aria-hidden />
            Set up
          </Button>
        )
      }
    >
      {totp && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
          <Button look="quiet-danger" onClick={() => setOpen('off')}>
            Switch off
          </Button>
        </div>
      )}
      {open === 'set-up' && <AuthenticatorSetUp onClose={close} onDone={refresh} />}
      {open === 'off' && (
        <PasswordDialog
          title="Switch codes off?"
          text="Your account is then protected by the password alone, unless you sign in with a passkey."
          action="Switch off"
          danger
          saving={switchingOff}
          onClose={close}
        />
      )}
      {open === 'codes' && (
        <PasswordDialog
          title="Create new recovery codes"
          text="The codes you have now stop working."
          action="Continue"
          saving={renewing}
          onClose={close}
        />
      )}
      {renewing.data && (
        <Dialog open onOpenChange={() => renewing.reset()} title="Your new recovery codes">
          <RecoveryCodes codes={renewing.data.recovery_codes} onDone={() => renewing.reset()} />
        </Dialog>
      )}
    </Section>
  )
}
