import type { Ability } from '@kith/contract/abilities'
import type { ConsentRequest } from '@kith/contract/app/connections'
import { permissions, roleMay } from '@kith/contract/permissions'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { type Membership, sessionQuery } from '../../api/session.ts'
import { consentQuery, settleConsent } from '../../api/tokens.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/controls.tsx'
import { Select } from '../../components/select.tsx'
import { Skeleton } from '../../components/states.tsx'
import { FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance } from './entrance.tsx'

/** Asks the user whether a program may use a workspace. */
export function Consent(): ReactNode {
  // Exactly as the program wrote it, because it is signed.
  const query = window.location.search.slice(1)
  const { data: session } = useSuspenseQuery(sessionQuery)
  const told = new URLSearchParams(query).get('error_description')
  const asked = useQuery({ ...consentQuery(query), enabled: told === null })
  const answer = useSave(settleConsent, { next: ({ url }) => window.location.assign(url) })
  const problem = told ?? asked.error?.message
  if (problem !== undefined) {
    return (
      <Entrance title="This link does not work">
        <p className="text-sm">{problem}</p>
      </Entrance>
    )
  }
  if (!asked.data) {
    return (
      <Entrance title="Allow access">
        <Skeleton className="h-40" />
      </Entrance>
    )
  }
  const { client } = asked.data
  return (
    <Entrance
      title={`Let ${client.name} use Kith?`}
      text={`It will act in your name, ${session.user.name} (${session.user.email}), until you end the connection under Settings, Connections.`}
    >
      <ConsentForm
        request={asked.data}
        workspaces={session.workspaces}
        settling={answer.isPending || answer.isSuccess}
        problem={answer.error?.message}
        onAllow={(granted) => answer.mutate({ accept: true, query, ...granted })}
        onDeny={() => answer.mutate({ accept: false, query })}
      />
    </Entrance>
  )
}

/** The workspace and the abilities. Only requested abilities can be granted. */
function ConsentForm(props: {
  request: ConsentRequest
  workspaces: readonly Membership[]
  settling: boolean
  problem: string | undefined
  onAllow(granted: { workspace: string; abilities: Ability[] }): void
  onDeny(): void
}): ReactNode {
  const { request, workspaces, settling, problem, onAllow, onDeny } = props
  const [slug, setSlug] = useState(workspaces[0]?.slug ?? '')
  const [refused, setRefused] = useState<ReadonlySet<Ability>>(
    () => new Set(request.abilities.filter((ability) => !request.preselected.includes(ability))),
  )
  const role = workspaces.find((one) => one.slug === slug)?.role
  const possible = request.abilities.filter((ability) => role !== undefined && roleMay(role, ability))
  const abilities = possible.filter((ability) => !refused.has(ability))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAllow({ workspace: slug, abilities })
  }
  const turn = (ability: Ability, on: boolean) => {
    const next = new Set(refused)
    if (on) next.delete(ability)
    else next.add(ability)
    setRefused(next)
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      <Origin client={request.client} />
      <FormField
        label="Workspace"
        {...(workspaces.length === 0 ? { hint: 'You are not a member of a workspace yet.' } : {})}
      >
        <Select
          value={slug}
          onValueChange={setSlug}
          choices={workspaces.map(({ slug: value, name }) => ({ value, label: name }))}
          disabled={workspaces.length < 2}
        />
      </FormField>
      <fieldset className="grid gap-2.5">
        <legend className="mb-1.5 text-xs font-medium text-quiet">It may</legend>
        {request.abilities.map((ability) => (
          <AbilityBox
            key={ability}
            ability={ability}
            checked={abilities.includes(ability)}
            possible={possible.includes(ability)}
            onTurn={(on) => turn(ability, on)}
          />
        ))}
      </fieldset>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={settling || abilities.length === 0}>
          Allow
        </Button>
        <Button onClick={onDeny} disabled={settling}>
          Deny
        </Button>
      </div>
    </form>
  )
}

/** Who asks and where the access goes. Hosts are certain; anybody can choose any name. */
function Origin({ client }: { client: ConsentRequest['client'] }): ReactNode {
  const host = documentHost(client.id)
  const isLocal = isLoopback(client.returns_to)
  return (
    <div className="grid gap-1.5 rounded-md border border-line bg-sunk px-3 py-2.5 text-sm break-words">
      <p>
        {host !== undefined && (
          <>
            {'The program comes from '}
            <strong className="font-semibold">{host}</strong>
            {'. '}
          </>
        )}
        {'Its name is not verified.'}
      </p>
      <p>
        {'Access goes to '}
        <strong className="font-semibold">{placeOf(client.returns_to)}</strong>
        {isLocal
          ? '. Allow it only if you have just started the connection there.'
          : '. Allow it only if you know this address.'}
      </p>
    </div>
  )
}

/** The host of the document that describes a program, if its ID is the address of one. */
function documentHost(clientId: string): string | undefined {
  return /^https?:/.test(clientId) ? URL.parse(clientId)?.host : undefined
}

function AbilityBox(props: {
  ability: Ability
  checked: boolean
  possible: boolean
  onTurn(on: boolean): void
}): ReactNode {
  const { ability, checked, possible, onTurn } = props
  const id = useId()
  return (
    <div className="flex items-center gap-2">
      <Checkbox id={id} checked={checked} disabled={!possible} onCheckedChange={(on) => onTurn(on === true)} />
      <label htmlFor={id} className={possible ? 'text-sm' : 'text-sm text-faint'}>
        {permissions[ability].allows}
        {!possible && ' (your role does not allow it)'}
      </label>
    </div>
  )
}

/** Where the browser goes, so that users notice an unknown address. */
function placeOf(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  if (isLoopback(address)) return 'a program on this computer'
  return url.protocol === 'https:' || url.protocol === 'http:'
    ? url.host
    : `the program that opens ${url.protocol} addresses`
}

function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address)?.hostname ?? '')
}
