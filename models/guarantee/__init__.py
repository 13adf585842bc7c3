"""How wrong a pool may be that a model labeled: limits that hold at every look.

Pure functions of counts and arrays. `sequences` limits how many of a lot are wrong, `boundaries`
says when few enough were wrong to pass it, `lots` cuts a pool into lots, `certification` asks for
draws and decides, `human_error` counts the mistakes of those who look, `estimates` tells the
accuracy of a model from random draws.
"""
