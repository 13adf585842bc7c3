import { Failure, Loading, Skeleton } from "./State";

type FetchingProps = {
  of: {
    isPending: boolean;
    error: Error | null;
    data: unknown;
    refetch: () => unknown;
  };
  /** Of what will be there. */
  height: string;
};

/** In place of what is not there yet, or could not be had; what was there before stays. */
export function Fetching({ of: { isPending, error, data, refetch }, height }: FetchingProps) {
  if (isPending) {
    return (
      <Loading>
        <Skeleton height={height} />
      </Loading>
    );
  }
  if (error && data === undefined) return <Failure error={error} onRetry={() => refetch()} />;
  return null;
}
