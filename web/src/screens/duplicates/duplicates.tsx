import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { getRouteApi } from '@tanstack/react-router'
import { CopyCheck } from 'lucide-react'
import { useAllFields } from '../../api/fields.ts'
import { Header } from '../../shell/header.tsx'
import { ResourceTabs, useChosenResource } from '../resource-tabs.tsx'
import { DuplicateList } from './duplicate-list.tsx'
import { MergeScreen } from './merge-screen.tsx'
import { RecentMerges } from './recent-merges.tsx'

const route = getRouteApi('/$workspace/duplicates')

/** Records that share a value of a unique field or look alike, and the way to make them one. */
export function Duplicates() {
  const { merge } = route.useSearch()
  const fields = useAllFields()
  const isUnique = (name: ResourceName) => fields.some((field) => field.entity_type === name && field.unique)
  // Titles of tasks and notes are often the same.
  const compared = resourceNames.filter((name) => registry[name].label === 'name' || isUnique(name))
  const resource = useChosenResource() ?? compared[0] ?? 'companies'
  const ids = [...new Set((merge ?? '').split(',').filter(Boolean))]
  if (ids.length > 1) return <MergeScreen key={resource} resource={registry[resource]} ids={ids} />
  return (
    <>
      <Header icon={<CopyCheck aria-hidden />} title="Duplicates" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-200 px-4 py-5 sm:px-6">
          <p className="mb-3 max-w-150 text-sm text-quiet">
            Records with the same value of a unique field are certain duplicates. Records with the same name or address
            are likely duplicates. Merge them into one record: it keeps its ID and gets everything that belongs to the
            others. You can undo a merge for 30 days.
          </p>
          <ResourceTabs
            chosen={resource}
            only={resourceNames.filter((name) => compared.includes(name) || name === resource)}
          />
          <DuplicateList key={resource} resource={resource} />
          <RecentMerges resource={resource} />
        </div>
      </div>
    </>
  )
}
