import type { ResourceName } from '@kith/contract/resource'
import { Link, useSearch } from '@tanstack/react-router'
import { useSchema } from '../api/schema.ts'
import { classNames } from '../components/class-names.ts'
import { appearanceIn } from '../resources.ts'

/** The resource that the address names. */
export function useChosenResource(): ResourceName | undefined {
  const { of = '' } = useSearch({ strict: false })
  return useSchema().has(of) ? of : undefined
}

/** Links to the same page about another resource; the address holds which. */
export function ResourceTabs(props: {
  /** Undefined means all of them. */
  chosen: ResourceName | undefined
  all?: boolean
  only?: readonly ResourceName[]
}) {
  const schema = useSchema()
  const { chosen, all = false, only = [...schema.keys()] } = props
  return (
    <nav aria-label="Resources" className="flex gap-4 overflow-x-auto border-b border-line">
      {all && <ResourceTab of={undefined} label="All" active={chosen === undefined} />}
      {only.map((name) => (
        <ResourceTab key={name} of={name} label={appearanceIn(schema, name).name} active={chosen === name} />
      ))}
    </nav>
  )
}

function ResourceTab({ of, label, active }: { of: ResourceName | undefined; label: string; active: boolean }) {
  return (
    <Link
      to="."
      search={of === undefined ? {} : { of }}
      aria-current={active ? 'page' : undefined}
      className={classNames(
        'flex h-9 items-center border-b-2 text-sm whitespace-nowrap -outline-offset-2',
        active ? 'border-accent text-ink' : 'border-transparent text-quiet hover:text-ink',
      )}
    >
      {label}
    </Link>
  )
}
