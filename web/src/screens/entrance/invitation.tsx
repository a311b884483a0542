import type { OpenInvitation } from '@kith/contract/app/members'
import { KithError } from '@kith/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router'
import { acceptInvitation, invitationQuery, type Newcomer } from '../../api/account.ts'
import { sessionQuery, signOut, startQuery } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { Form, FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'
import { NewAccountFields } from './new-account-fields.tsx'

const route = getRouteApi('/invitation')

/** Opened by an invitation's link: joins a workspace with an existing or a new account. */
export function Invitation() {
  const { token = '' } = route.useSearch()
  const invitation = useQuery(invitationQuery(token))
  const start = useQuery({ ...startQuery, staleTime: 0 })
  const session = useQuery({ ...sessionQuery, enabled: start.data?.signed_in === true })
  if (invitation.error) return <Gone error={invitation.error} />
  if (!invitation.data || !start.data || (start.data.signed_in && !session.data)) {
    return (
      <Entrance title="You are invited">
        <Skeleton className="h-24" />
      </Entrance>
    )
  }
  return (
    <Entrance
      title={`Join ${invitation.data.workspace.name}`}
      text={`You are invited as ${/^[ao]/.test(invitation.data.role) ? 'an' : 'a'} ${invitation.data.role}.`}
    >
      <Join
        token={token}
        invitation={invitation.data}
        as={start.data.signed_in ? session.data?.user.email : undefined}
      />
    </Entrance>
  )
}

function Gone({ error }: { error: Error }) {
  const title = error instanceof KithError && error.kind === 'not_found' ? 'This link does not work' : 'Not loaded'
  return (
    <Entrance title={title} text={error.message}>
      <EntranceLink to="/">Go to Kith</EntranceLink>
    </Entrance>
  )
}

function Join({ token, invitation, as }: { token: string; invitation: OpenInvitation; as: string | undefined }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const joining = useSave((newcomer: Newcomer | undefined) => acceptInvitation(token, newcomer), {
    next: async ({ slug }) => {
      queries.clear()
      await navigate({ to: '/$workspace', params: { workspace: slug } })
    },
  })
  if (as !== undefined) {
    return (
      <SignedIn as={as} invitation={invitation} busy={joining.isPending} onJoin={() => joining.mutate(undefined)}>
        <FormProblem error={joining.error} />
      </SignedIn>
    )
  }
  if (invitation.account_exists) return <ToSignIn email={invitation.email ?? undefined} />
  const submit = (typed: (name: string) => string) => {
    const email = invitation.email === null ? { email: typed('email') } : {}
    joining.mutate({ name: typed('name'), password: typed('password'), ...email })
  }
  return (
    <Form
      saving={joining}
      onSubmit={submit}
      action="Join"
      wide
      extra={invitation.email === null && <ToSignIn email={undefined} />}
    >
      <NewAccountFields email={invitation.email} />
    </Form>
  )
}

function SignedIn(props: {
  as: string
  invitation: OpenInvitation
  busy: boolean
  onJoin(): void
  children: React.ReactNode
}) {
  const { as, invitation, busy, onJoin, children } = props
  const queries = useQueryClient()
  const leave = async () => {
    await signOut()
    queries.removeQueries({ queryKey: sessionQuery.queryKey })
    await queries.invalidateQueries({ queryKey: startQuery.queryKey })
  }
  const another = invitation.email !== null && invitation.email !== as.toLowerCase()
  return (
    <div className="grid gap-4">
      <p className="text-sm wrap-anywhere text-quiet">
        {another
          ? `This invitation is for ${invitation.email}, and you are signed in as ${as}.`
          : `You are signed in as ${as}.`}
      </p>
      {children}
      {!another && (
        <Button look="primary" disabled={busy} onClick={onJoin}>
          Join
        </Button>
      )}
      <Button onClick={leave}>Sign out and use another account</Button>
    </div>
  )
}

function ToSignIn({ email }: { email: string | undefined }) {
  const { href } = useLocation()
  return (
    <p className="text-sm text-quiet">
      {email ? `There is an account for ${email}. ` : 'You have an account? '}
      <EntranceLink to="/sign-in" search={{ next: href, ...(email ? { email } : {}) }}>
        Sign in to join
      </EntranceLink>
    </p>
  )
}
