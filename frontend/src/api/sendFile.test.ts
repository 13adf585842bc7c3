import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { t } from "../strings";
import { type ApiError, isOfProxy } from "./errors";
import { sendFile } from "./sendFile";

it.each([
  [413, t.common.ofProxy(413)],
  [502, t.common.ofProxy(502)],
])("says that a proxy refuses a file, and not Karat: %i", async (status, said) => {
  const proxy = createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === "OPTIONS" ? 204 : status, {
      "content-type": "text/html",
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "content-type",
    });
    response.end("<html>nginx</html>");
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  const { port } = proxy.address() as AddressInfo;
  const sent = sendFile({
    url: `http://127.0.0.1:${port}/api/projects/1/imports`,
    body: new Blob(["some images"], { type: "text/plain" }),
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  const error = (await sent.catch((reason) => reason)) as ApiError;
  proxy.close();
  expect(error.message).toBe(said);
  expect(isOfProxy(error)).toBe(true);
});
