import { ApiError, NetworkError } from "./errors";

export type Sending = {
  /** With its query. */
  url: string;
  body: Blob;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
};

/** Send a file as the body of a POST. XMLHttpRequest, since `fetch` reports no upload progress. */
export function sendFile<T>({ url, body, onProgress, signal }: Sending): Promise<T> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open("POST", url);
    xhr.responseType = "json";
    xhr.setRequestHeader("content-type", "application/octet-stream");
    xhr.upload.onprogress = (event) => onProgress(event.loaded, event.total || body.size);
    xhr.onload = () => {
      if (xhr.status < 300) resolve(xhr.response as T);
      else reject(new ApiError(xhr.status, xhr.response ?? {}));
    };
    xhr.onerror = () => reject(new NetworkError());
    xhr.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal.addEventListener("abort", () => xhr.abort());
    xhr.send(body);
  });
}
