"""A headline for each request, in a FastAPI app of your own: `fastapi dev examples/with_fastapi.py`."""

import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException

import tersely


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.shorten = tersely.load()  # once, not for each request
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/headline")
async def headline(text: str, chars: int = 60) -> dict[str, str]:
    try:  # in a thread, so that other requests do not wait
        summary = await asyncio.to_thread(app.state.shorten, text, chars=chars)
    except tersely.TerselyError as error:
        raise HTTPException(422, str(error)) from None
    return {"headline": summary}
