import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { contentAddress, fileQuery } from '../../api/files.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { formatSize } from '../../format/sizes.ts'
import { useAppearance } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { Picture } from './files.tsx'

const route = getRouteApi('/$workspace/files/$id')

/** What a link to a file in a text leads to: the file, and the record that it belongs to. */
export function FilePage() {
  const slug = useSlug()
  const { id } = route.useParams()
  const { data: file, error, refetch } = useQuery(fileQuery(slug, id))
  const { one } = useAppearance(file?.attributes.resource ?? 'companies')
  if (error) {
    return (
      <>
        <Header title="File" />
        <ErrorState error={error} onRetry={refetch} />
      </>
    )
  }
  if (!file) return <Header title={<Skeleton className="w-40" />} />
  const { name, size, resource, record_id } = file.attributes
  return (
    <>
      <Header title={name} tab={name} />
      <div className="grid justify-items-start gap-3 px-4 py-5 text-sm md:px-8">
        <Picture file={file} className="max-h-[60vh] max-w-full rounded-md border border-line" />
        <a
          href={contentAddress(slug, file.id)}
          download={name}
          className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
        >
          <Download aria-hidden className="size-4" />
          Download ({formatSize(size)})
        </a>
        <Link
          to="/$workspace/$resource/$id"
          params={{ workspace: slug, resource, id: record_id }}
          className="text-accent hover:underline"
        >
          Open the {one} that it belongs to
        </Link>
      </div>
    </>
  )
}
