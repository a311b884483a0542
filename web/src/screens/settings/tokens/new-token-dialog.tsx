import { type Ability, abilities } from '@kith/contract/abilities'
import { roleMay } from '@kith/contract/permissions'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { problemsOf } from '../../../api/problems.ts'
import { sessionQuery } from '../../../api/session.ts'
import { createToken, type TokenInput } from '../../../api/tokens.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { Select } from '../../../components/select.tsx'
import { abilityWords } from './ability-words.ts'
import { FreshToken } from './fresh-token.tsx'

const NEVER = 'never'
const expiries = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: NEVER, label: 'No expiry' },
]

export function NewTokenDialog({ onClose }: { onClose(): void }) {
  const { slug } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const workspaces = session?.workspaces ?? []
  const [where, setWhere] = useState(slug)
  const [expiry, setExpiry] = useState('90')
  const [chosen, setChosen] = useState<readonly Ability[]>(['read'])
  const role = workspaces.find((one) => one.slug === where)?.role ?? 'viewer'
  const queries = useQueryClient()
  const making = useMutation({
    mutationFn: (input: TokenInput) => createToken(where, input),
    onSuccess: () => queries.invalidateQueries({ queryKey: [where, 'tokens'] }),
  })
  if (making.data) return <FreshToken fresh={making.data} onClose={onClose} />
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    making.mutate({
      name: String(new FormData(event.currentTarget).get('name')),
      abilities: abilities.filter((ability) => chosen.includes(ability) && roleMay(role, ability)),
      expires_in_days: expiry === NEVER ? null : Number(expiry),
    })
  }
  const toggle = (ability: Ability, on: boolean) =>
    setChosen(on ? [...chosen, ability] : chosen.filter((one) => one !== ability))
  const problems = problemsOf(making.error, ['name', 'expires_in_days', 'abilities'])
  return (
    <Dialog open onOpenChange={onClose} title="New token" description="The token is shown once, after you create it.">
      <form onSubmit={submit} className="grid gap-4">
        <FormField
          label="Name"
          hint="What uses it, such as “Website form” or “Nightly import”."
          errors={problems.at('name')}
        >
          <Input name="name" required maxLength={255} />
        </FormField>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField label="Workspace">
            <Select
              value={where}
              onValueChange={setWhere}
              choices={workspaces.map((one) => ({ value: one.slug, label: one.name }))}
            />
          </FormField>
          <FormField label="Expiry" errors={problems.at('expires_in_days')}>
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
          {problems.at('abilities') && (
            <p role="alert" className="mt-1.5 text-xs text-danger">
              {problems.at('abilities')?.join(' ')}
            </p>
          )}
        </fieldset>
        <FormProblem text={problems.general} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={making.isPending}>
            Create token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type LineProps = { ability: Ability; allowed: boolean; checked: boolean; onChange(on: boolean): void }

function AbilityLine({ ability, allowed, checked, onChange }: LineProps) {
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
