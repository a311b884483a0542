import { type Ability, abilities } from '@kith/contract/abilities'
import type { FreshTokenAnswer, TokenRow } from '@kith/contract/app/tokens'
import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { sessionQuery, useApiAddress } from '../../../api/session.ts'
import { createToken, revokeToken, type TokenInput, tokensQuery } from '../../../api/tokens.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Checkbox, Input } from '../../../components/controls.tsx'
import { CodeBlock } from '../../../components/copy.tsx'
import { ConfirmButton, NoticeDialog } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Select } from '../../../components/select.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../../components/tabs.tsx'
import { formatAgo, formatMoment } from '../../../format/moments.ts'
import { FormDialog, FormField, ProblemsAt } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { EndingWebhooks } from '../ending-webhooks.tsx'
import { Page, RowSkeletons, Rows, Section } from '../page.tsx'
import { abilityWords, Connected } from './connections.tsx'
import { UndoChanges } from './undo-changes.tsx'

export function Tokens() {
  const { role } = useWorkspace()
  const [making, setMaking] = useState(false)
  return (
    <Page
      title="Access Tokens"
      text="Other systems use the API with a token. It acts as you, in this workspace only, with the abilities you choose."
      action={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Plus aria-hidden />
          New token
        </Button>
      }
    >
      {roleMay(role, 'see_all_tokens') ? (
        <Tabs defaultValue="own">
          <TabList aria-label="Whose tokens">
            <Tab value="own">Yours</Tab>
            <Tab value="all">All of the workspace</Tab>
          </TabList>
          <TabPanel value="own" className="mt-1 outline-none">
            <TokenList whose="own" onNew={() => setMaking(true)} />
          </TabPanel>
          <TabPanel value="all" className="mt-1 outline-none">
            <TokenList whose="all" onNew={() => setMaking(true)} />
          </TabPanel>
        </Tabs>
      ) : (
        <TokenList whose="own" onNew={() => setMaking(true)} />
      )}
      <Section title="Connections" text="Programs connected with OAuth, without an access token.">
        <Connected />
      </Section>
      {making && <NewTokenDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function TokenList({ whose, onNew }: { whose: 'own' | 'all'; onNew(): void }) {
  const { slug } = useWorkspace()
  const { data: tokens, error, refetch } = useQuery(tokensQuery(slug, whose))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!tokens) return <RowSkeletons />
  if (tokens.length === 0) {
    return (
      <EmptyState
        icon={KeyRound}
        title="No token yet"
        text="Create one to call the API from a script, a form or another system."
      >
        <Button onClick={onNew}>New token</Button>
      </EmptyState>
    )
  }
  return (
    <Rows label="Access Tokens">
      {tokens.map((token) => (
        <TokenLine key={token.id} token={token} named={whose === 'all'} />
      ))}
    </Rows>
  )
}

/** A token that works, or has expired; never the secret itself. */
function TokenLine({ token, named }: { token: TokenRow; named: boolean }) {
  const slug = useSlug()
  const revoking = useAction(() => revokeToken(slug, token.id), {
    message: `Revoked ${token.name}`,
    reload: [[slug, 'tokens']],
  })
  const expired = token.expires_at !== null && Date.parse(token.expires_at) <= Date.now()
  return (
    <li className="flex items-start gap-3 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-sm font-medium wrap-anywhere">{token.name}</span>
          {expired && <Pill tint="amber">Expired</Pill>}
          {token.abilities.map((ability) => (
            <Pill key={ability}>{abilityWords[ability].name}</Pill>
          ))}
        </p>
        <p className="mt-1 text-xs text-faint">
          {named && `${token.user.name} · `}
          {token.last_used_at === null ? (
            'Never used'
          ) : (
            <>
              Last used <Moment at={token.last_used_at} />
            </>
          )}
          {' · '}
          <span className="whitespace-nowrap">{expiryWords(token, expired)}</span>
          {' · '}
          <Moment at={token.created_at} className="whitespace-nowrap">
            Made {formatAgo(token.created_at)}
          </Moment>
        </p>
      </div>
      <UndoChanges token={token.id} name={token.name} />
      <ConfirmButton
        size="small"
        disabled={revoking.isPending}
        aria-label={`Revoke ${token.name}`}
        question={`Revoke ${token.name}?`}
        text={
          <>
            Programs that use it are refused from now on. This cannot be undone.
            <EndingWebhooks endsWith={{ token: token.id }} />
          </>
        }
        action="Revoke"
        onConfirm={() => revoking.mutate()}
      >
        Revoke
      </ConfirmButton>
    </li>
  )
}

function expiryWords({ expires_at }: TokenRow, expired: boolean): string {
  if (expires_at === null) return 'No expiry'
  return `${expired ? 'Expired' : 'Expires'} ${formatMoment(expires_at)}`
}

const NEVER = 'never'

const expiries = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: NEVER, label: 'No expiry' },
]

function NewTokenDialog({ onClose }: { onClose(): void }) {
  const { slug } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const workspaces = session?.workspaces ?? []
  const [where, setWhere] = useState(slug)
  const [expiry, setExpiry] = useState('90')
  const [chosen, setChosen] = useState<readonly Ability[]>(['read'])
  const role = workspaces.find((one) => one.slug === where)?.role ?? 'viewer'
  const making = useSave((input: TokenInput) => createToken(where, input), { reload: [[where, 'tokens']] })
  if (making.data) return <FreshToken fresh={making.data} onClose={onClose} />
  const submit = (typed: (name: string) => string) =>
    making.mutate({
      name: typed('name'),
      abilities: abilities.filter((ability) => chosen.includes(ability) && roleMay(role, ability)),
      expires_in_days: expiry === NEVER ? null : Number(expiry),
    })
  const toggle = (ability: Ability, on: boolean) =>
    setChosen(on ? [...chosen, ability] : chosen.filter((one) => one !== ability))
  return (
    <FormDialog
      title="New token"
      description="The token is shown once, after you create it."
      saving={making}
      onSubmit={submit}
      action="Create token"
      onClose={onClose}
    >
      <FormField label="Name" name="name" hint="What uses it, such as “Website form” or “Nightly import”.">
        <Input required maxLength={255} />
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField label="Workspace">
          <Select
            value={where}
            onValueChange={setWhere}
            choices={workspaces.map((one) => ({ value: one.slug, label: one.name }))}
          />
        </FormField>
        <FormField label="Expiry" name="expires_in_days">
          <Select value={expiry} onValueChange={setExpiry} choices={expiries} />
        </FormField>
      </div>
      <fieldset>
        <legend className="mb-1.5 text-xs font-medium text-quiet">Permissions</legend>
        <div className="divide-y divide-line rounded-md border border-line">
          {abilities.map((ability) => (
            <AbilityLine
              key={ability}
              ability={ability}
              allowed={roleMay(role, ability)}
              checked={chosen.includes(ability)}
              onChange={(on) => toggle(ability, on)}
            />
          ))}
        </div>
        <ProblemsAt path="abilities" />
      </fieldset>
    </FormDialog>
  )
}

function AbilityLine(props: { ability: Ability; allowed: boolean; checked: boolean; onChange(on: boolean): void }) {
  const { ability, allowed, checked, onChange } = props
  const id = `ability-${ability}`
  const { name, allows } = abilityWords[ability]
  return (
    <div className="flex items-start gap-2.5 px-3 py-2">
      <Checkbox
        id={id}
        aria-describedby={`${id}-allows`}
        className="mt-0.5"
        checked={checked && allowed}
        disabled={!allowed}
        onCheckedChange={(on) => onChange(on === true)}
      />
      <div className={allowed ? 'min-w-0' : 'min-w-0 opacity-60'}>
        <label htmlFor={id} className="text-sm font-medium">
          {name}
        </label>
        <p id={`${id}-allows`} className="text-xs text-faint">
          {allowed ? allows : 'Your role in this workspace does not allow it.'}
        </p>
      </div>
    </div>
  )
}

/** The only time that a token is shown, with a call that works at once. */
function FreshToken({ fresh, onClose }: { fresh: FreshTokenAnswer; onClose(): void }) {
  const api = useApiAddress()
  return (
    <NoticeDialog
      onClose={onClose}
      title={`${fresh.name} is ready`}
      description="Copy the token now: it is not shown again. Only its hash is stored."
    >
      <div className="grid gap-4">
        <CodeBlock text={fresh.token} label="Token" />
        <div className="grid gap-1.5">
          <p className="text-xs font-medium text-quiet">Try it</p>
          <CodeBlock text={firstCall(api, fresh)} label="First call" />
        </div>
      </div>
    </NoticeDialog>
  )
}

/** A call that the token may make; where it can only change or delete, the id of a record is to be filled in. */
function firstCall(api: string, { token, abilities }: FreshTokenAnswer): string {
  const auth = `-H "Authorization: Bearer ${token}"`
  const json = ['-H "Content-Type: application/json"', '-d \'{"name": "Acme"}\'']
  const lines = (...parts: string[]) => parts.join(' \\\n  ')
  if (abilities.includes('read')) return lines(`curl ${api}/v1/companies`, auth)
  if (abilities.includes('create')) return lines(`curl -X POST ${api}/v1/companies`, auth, ...json)
  if (abilities.includes('update')) return lines(`curl -X PATCH ${api}/v1/companies/ID`, auth, ...json)
  return lines(`curl -X DELETE ${api}/v1/companies/ID`, auth)
}
