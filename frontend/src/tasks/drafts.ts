/**
 * Under what name that is kept in this tab which is made of an example and not sent.
 *
 * It is its maker's alone, whoever signs in next. What is reviewed has numbers of its own.
 */
export const draftName = (userId: number, queryId: number, inReview = false): string =>
  `${userId}:${inReview ? "review" : "label"}:${queryId}`;
